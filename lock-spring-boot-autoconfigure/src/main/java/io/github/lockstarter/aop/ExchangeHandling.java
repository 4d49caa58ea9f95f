package io.github.lockstarter.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

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
		EndOfRequest servletEnd = call.endOfRequest();
		Mono<Claims> servletClaims = servletClaims(call);
		return Mono.deferContextual((context) -> {
			ServerWebExchange exchange = ServerWebExchangeContextFilter.getExchange(context).orElse(null);
			EndOfRequest end = (exchange != null) ? exchange.getAttribute(EndOfRequest.ATTRIBUTE) : servletEnd;
			boolean handling = end != null && (exchange == null
					|| call.method().isHandler(exchange.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE)));
			Executor executor = executor();
			return ((exchange != null) ? claims(call, exchange) : servletClaims)
				.flatMap((claims) -> owned(
						within(context, () -> call.acquireAsync(claims, untilResponse && handling, executor))))
				.doOnNext((holding) -> {
					if (end != null && handling) {
						end.add(holding);
					}
					if (exchange != null && handling && holding.hasResult()) {
						exchange.getResponse().getHeaders().set(Holding.REPLAYED, "true");
					}
				});
		});
	}

	/** The attempt is part of what the subscriber's context observes. */
	private static <T> T within(ContextView context, Supplier<T> attempt) {
		Observation observation = context.getOrDefault(ObservationThreadLocalAccessor.KEY, null);
		return (observation != null) ? observation.scoped(attempt) : attempt.get();
	}

	/** Returns where to go on: on threads that may be blocked only if this one may. */
	private static Executor executor() {
		Scheduler scheduler = Schedulers.isInNonBlockingThread() ? Schedulers.parallel() : Schedulers.boundedElastic();
		return scheduler::schedule;
	}

	/**
	 * Emits the holding, or abandons it if nobody wants it any more. Reactor itself loses
	 * what a future has just completed with when the subscription is cancelled before it
	 * has looked.
	 */
	private static Mono<Holding> owned(CompletableFuture<Holding> attempt) {
		AtomicBoolean decided = new AtomicBoolean();
		return Mono.fromFuture(attempt).doOnNext((holding) -> decided.set(true)).doOnCancel(() -> {
			if (decided.compareAndSet(false, true)) {
				attempt.thenAccept(Holding::abandon);
			}
		});
	}

	/** A servlet request cannot be read after its end, so it is read now. */
	private static Mono<Claims> servletClaims(LockedCall call) {
		if (!call.hasServletRequest()) {
			return Mono.fromSupplier(call::claims);
		}
		try {
			return Mono.just(call.claims());
		}
		catch (RuntimeException ex) {
			return Mono.error(ex);
		}
	}

	/**
	 * The principal is asked for only if the locks depend on it: it may come from a
	 * session that nothing else would have loaded.
	 */
	private static Mono<Claims> claims(LockedCall call, ServerWebExchange exchange) {
		if (!call.method().readsPrincipal()) {
			return Mono.fromSupplier(() -> call.claims(new CurrentRequest.OfExchange(exchange, null)));
		}
		return exchange.getPrincipal()
			.map((principal) -> new CurrentRequest.OfExchange(exchange, principal))
			.switchIfEmpty(Mono.fromSupplier(() -> new CurrentRequest.OfExchange(exchange, null)))
			.map(call::claims);
	}

}
