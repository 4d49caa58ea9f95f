package io.github.lockstarter.web.reactive;

import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilterChain;

import io.github.lockstarter.completion.RequestCompletion;

/**
 * Shows annotated handlers of Spring WebFlux the request that they are called for, and
 * notifies their leases of its end.
 */
public final class ExchangeRequestFilter extends ServerWebExchangeContextFilter implements Ordered {

	/** Other filters may have changed the request, or its principal. */
	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		RecordedResponse recorded = RecordedResponse.of(exchange);
		RequestCompletion end = (recorded != null) ? recorded.end() : new RequestCompletion();
		exchange.getAttributes().put(RequestCompletion.ATTRIBUTE, end);
		return super.filter(exchange, chain).doFinally((signal) -> {
			// Until its answer is known, a request has not ended.
			if (!end.awaitsAnswer()) {
				end.reached();
			}
		});
	}

}
