package io.github.lockstarter.aop;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;

/**
 * The handling of a request by Spring WebFlux, which calls find in their Reactor context.
 */
final class ExchangeHandling {

	private ExchangeHandling() {
	}

	/**
	 * Acquires the locks of a call for the request that the subscriber's context tells
	 * of, otherwise the one of the thread that made the call. What comes next may take
	 * its time, so it does not happen on a thread of the registry.
	 */
	static Mono<Holding> acquire(LockedCall call, boolean untilResponse) {
		@Nullable EndOfRequest servletEnd = call.endOfRequest();
		return Mono.deferContextual((context) -> {
			ServerWebExchange exchange = ServerWebExchangeContextFilter.getExchange(context).orElse(null);
			EndOfRequest end = (exchange != null) ? exchange.getAttribute(EndOfRequest.ATTRIBUTE) : servletEnd;
			boolean handling = end != null && (exchange == null
					|| call.method().isHandler(exchange.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE)));
			return request(call, exchange)
				.flatMap((request) -> Mono.fromFuture(() -> call.acquireAsync(request, untilResponse && handling)))
				.doOnNext((holding) -> {
					if (end != null && handling) {
						end.add(holding);
					}
				})
				.publishOn(ReactiveWork.scheduler());
		});
	}

	private static Mono<CurrentRequest> request(LockedCall call, @Nullable ServerWebExchange exchange) {
		if (exchange == null) {
			return Mono.just(call.request());
		}
		return exchange.getPrincipal()
			.<CurrentRequest>map((principal) -> new CurrentRequest.OfExchange(exchange, principal))
			.switchIfEmpty(Mono.fromSupplier(() -> new CurrentRequest.OfExchange(exchange, null)));
	}

}
