package io.github.lockstarter.service.web;

import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * What holds for every request: it is dealt with when all of it has come, so that one
 * that breaks off does nothing; nobody keeps the answer; and what is acquired is given
 * back where the answer cannot be delivered.
 */
@Component
class EveryExchange implements WebFilter {

	private static final String IF_UNDELIVERED = EveryExchange.class.getName() + ".ifUndelivered";

	/** Has something done if the client is gone before all of the answer is written. */
	static void ifUndelivered(ServerWebExchange exchange, Runnable action) {
		exchange.getAttributes().put(IF_UNDELIVERED, action);
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		exchange.getResponse().getHeaders().setCacheControl(CacheControl.noStore());
		ServerHttpRequest request = exchange.getRequest();
		Mono<Void> handled = chain.filter(exchange)
			.doOnCancel(() -> undelivered(exchange))
			.doOnError((failure) -> undelivered(exchange));
		// No request has a body that means anything.
		return hasBody(request) ? request.getBody()
			.doOnNext(DataBufferUtils::release)
			.then(Mono.just(true))
			.onErrorReturn(false)
			.flatMap((complete) -> complete ? handled : incomplete(exchange)) : handled;
	}

	private static boolean hasBody(ServerHttpRequest request) {
		return request.getHeaders().getContentLength() > 0 || request.getHeaders().containsHeader("Transfer-Encoding");
	}

	private static Mono<Void> incomplete(ServerWebExchange exchange) {
		exchange.getResponse().setStatusCode(HttpStatus.REQUEST_TIMEOUT);
		return exchange.getResponse().setComplete().onErrorComplete();
	}

	private static void undelivered(ServerWebExchange exchange) {
		if (exchange.getAttributes().remove(IF_UNDELIVERED) instanceof Runnable action) {
			action.run();
		}
	}

}
