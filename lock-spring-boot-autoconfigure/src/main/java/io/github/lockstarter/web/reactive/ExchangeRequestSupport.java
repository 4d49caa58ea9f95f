package io.github.lockstarter.web.reactive;

import java.security.Principal;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.completion.EndOfRequest;
import io.github.lockstarter.interceptor.ReactiveRequestSupport;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.web.ReplayedHeader;
import io.github.lockstarter.web.RequestPaths;

/**
 * What Spring WebFlux adds to calls of annotated methods.
 */
public final class ExchangeRequestSupport implements ReactiveRequestSupport {

	@Override
	public @Nullable Request find(ContextView context) {
		return ServerWebExchangeContextFilter.getExchange(context).map(ExchangeRequest::new).orElse(null);
	}

	@Override
	public Object deferred(Mono<?> entity) {
		return new DeferredResponseEntity(entity);
	}

	private record ExchangeRequest(ServerWebExchange exchange) implements Request {

		/**
		 * The principal may come from a session that nothing else would have loaded.
		 */
		@Override
		public Mono<CurrentRequest> current(boolean withPrincipal) {
			Mono<CurrentRequest> anybody = Mono.fromSupplier(() -> new CurrentExchange(this.exchange, null));
			return !withPrincipal ? anybody
					: this.exchange.getPrincipal()
						.<CurrentRequest>map((principal) -> new CurrentExchange(this.exchange, principal))
						.switchIfEmpty(anybody);
		}

		@Override
		public @Nullable EndOfRequest end() {
			return this.exchange.getAttribute(EndOfRequest.ATTRIBUTE);
		}

		@Override
		public boolean isHandledBy(LockedMethod method) {
			return method.isHandler(this.exchange.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE));
		}

		@Override
		public void tellReplayed() {
			this.exchange.getResponse().getHeaders().set(ReplayedHeader.NAME, ReplayedHeader.VALUE);
		}

	}

	private record CurrentExchange(ServerWebExchange exchange,
			@Nullable Principal principal) implements CurrentRequest {

		@Override
		public @Nullable String header(String name) {
			return this.exchange.getRequest().getHeaders().getFirst(name);
		}

		@Override
		public @Nullable String path() {
			return RequestPaths.canonical(this.exchange.getRequest().getPath().pathWithinApplication());
		}

	}

}
