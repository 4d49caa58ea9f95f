package io.github.lockstarter.service.web;

import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.CacheControl;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * What holds for every request: it is dealt with when all of it has come, so that one
 * that breaks off does nothing; and nobody keeps the answer.
 */
@Component
class EveryExchange implements WebFilter {

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		exchange.getResponse().getHeaders().setCacheControl(CacheControl.noStore());
		ServerHttpRequest request = exchange.getRequest();
		Mono<Void> handled = chain.filter(exchange);
		// No request has a body that means anything.
		return hasBody(request) ? request.getBody().doOnNext(DataBufferUtils::release).then(handled) : handled;
	}

	private static boolean hasBody(ServerHttpRequest request) {
		return request.getHeaders().getContentLength() > 0 || request.getHeaders().containsHeader("Transfer-Encoding");
	}

}
