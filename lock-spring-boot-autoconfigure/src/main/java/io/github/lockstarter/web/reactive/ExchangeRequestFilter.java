package io.github.lockstarter.web.reactive;

import java.util.function.Predicate;

import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilterChain;

import io.github.lockstarter.completion.RequestCompletion;

/**
 * Makes the request available to the calls of annotated handlers of Spring WebFlux, and
 * notifies their leases of its end.
 */
public final class ExchangeRequestFilter extends ServerWebExchangeContextFilter implements Ordered {

	private final Predicate<HandlerMethod> readsContent;

	/**
	 * Creates a filter.
	 * @param readsContent whether the requests to a handler are compared
	 */
	public ExchangeRequestFilter(Predicate<HandlerMethod> readsContent) {
		this.readsContent = readsContent;
	}

	/** Ordered after other filters, which may change the request or its principal. */
	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		RecordedExchangeResponse recorded = RecordedExchangeResponse.of(exchange);
		RequestCompletion end = (recorded != null) ? recorded.end() : new RequestCompletion();
		exchange.getAttributes().put(RequestCompletion.ATTRIBUTE, end);
		RecordedExchangeRequest request = RecordedExchangeRequest.of(exchange);
		if (request != null) {
			request.recordIf(() -> {
				Object handler = exchange.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE);
				return handler == null || (handler instanceof HandlerMethod method && this.readsContent.test(method));
			});
		}
		return super.filter(exchange, chain).doFinally((signal) -> {
			// A request has not ended before its response is known.
			if (!end.awaitsResponse()) {
				end.reached();
			}
		});
	}

}
