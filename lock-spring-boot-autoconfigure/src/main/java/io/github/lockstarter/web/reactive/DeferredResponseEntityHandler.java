package io.github.lockstarter.web.reactive;

import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.server.ServerWebExchange;

/**
 * Supports waiting for locks in handlers of Spring WebFlux that return an entity: the
 * entity is handled once the handler has been called.
 */
public final class DeferredResponseEntityHandler implements HandlerResultHandler, Ordered {

	private final ObjectProvider<HandlerResultHandler> handlers;

	/**
	 * Creates a handler.
	 * @param handlers all result handlers, one of which handles the entity
	 */
	public DeferredResponseEntityHandler(ObjectProvider<HandlerResultHandler> handlers) {
		this.handlers = handlers;
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public boolean supports(HandlerResult result) {
		return result.getReturnValue() instanceof DeferredResponseEntity;
	}

	@Override
	public Mono<Void> handleResult(ServerWebExchange exchange, HandlerResult result) {
		return (result.getReturnValue() instanceof DeferredResponseEntity pending)
				? pending.entity().flatMap((entity) -> handle(exchange, result, entity)) : Mono.empty();
	}

	private Mono<Void> handle(ServerWebExchange exchange, HandlerResult pending, Object entity) {
		HandlerResult result = new HandlerResult(pending.getHandler(), entity, pending.getReturnTypeSource(),
				pending.getBindingContext());
		return this.handlers.orderedStream()
			.filter((handler) -> handler.supports(result))
			.findFirst()
			.map((handler) -> handler.handleResult(exchange, result))
			.orElseGet(() -> Mono.error(new IllegalStateException("No HandlerResultHandler for " + entity)));
	}

}
