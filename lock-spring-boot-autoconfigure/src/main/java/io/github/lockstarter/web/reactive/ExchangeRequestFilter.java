package io.github.lockstarter.web.reactive;

import java.util.function.BooleanSupplier;

import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilterChain;

import io.github.lockstarter.completion.RequestCompletion;

/**
 * Shows annotated handlers of Spring WebFlux the request that they are called for, and
 * notifies their leases of its answer and its end.
 */
public final class ExchangeRequestFilter extends ServerWebExchangeContextFilter implements Ordered {

	private final BooleanSupplier keepsAnswers;

	/**
	 * Creates a filter.
	 * @param keepsAnswers whether any handler may keep answers for later duplicates
	 */
	public ExchangeRequestFilter(BooleanSupplier keepsAnswers) {
		this.keepsAnswers = keepsAnswers;
	}

	/** Other filters may have changed the request, or its principal. */
	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		RequestCompletion end = new RequestCompletion();
		exchange.getAttributes().put(RequestCompletion.ATTRIBUTE, end);
		if (!this.keepsAnswers.getAsBoolean()) {
			return super.filter(exchange, chain).doFinally((signal) -> end.reached());
		}
		RecordedResponse response = RecordedResponse.of(exchange, end);
		return super.filter(exchange.mutate().response(response).build(), chain).onErrorResume(response::failed)
			.then(Mono.defer(response::handled))
			.doFinally((signal) -> {
				response.lost();
				end.reached();
			});
	}

}
