package io.github.lockstarter.web.reactive;

import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.util.context.ContextView;

import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.ClassUtils;
import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.completion.RequestCompletion;
import io.github.lockstarter.interceptor.LockedCall;
import io.github.lockstarter.interceptor.ReactiveRequestSupport;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.key.RequestContent;
import io.github.lockstarter.key.SecurityPrincipal;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.result.SharedResult;
import io.github.lockstarter.result.SharedResult.Response;
import io.github.lockstarter.web.ReplayedHeader;
import io.github.lockstarter.web.RequestPaths;

/**
 * Finds the request of Spring WebFlux for calls of annotated methods.
 */
public final class ExchangeRequestSupport implements ReactiveRequestSupport {

	private static final boolean REACTOR_NETTY_PRESENT = ClassUtils.isPresent("reactor.netty.Connection",
			ExchangeRequestSupport.class.getClassLoader());

	private final PreparedRejectionWriter rejections;

	/**
	 * Creates the support.
	 * @param rejections responds to requests whose locks are held elsewhere
	 */
	public ExchangeRequestSupport(PreparedRejectionWriter rejections) {
		this.rejections = rejections;
	}

	@Override
	public @Nullable Request find(ContextView context) {
		return ServerWebExchangeContextFilter.getExchange(context)
			.map((exchange) -> new ExchangeRequest(exchange, context, this.rejections))
			.orElse(null);
	}

	@Override
	public Object deferred(Mono<?> entity) {
		return new DeferredResponseEntity(entity);
	}

	/**
	 * A request.
	 *
	 * @param context the context of the subscriber to the call
	 */
	private record ExchangeRequest(ServerWebExchange exchange, ContextView context,
			PreparedRejectionWriter rejections) implements Request {

		/**
		 * Principal and content are loaded only on demand: one may require the session,
		 * and the other may be large.
		 */
		@Override
		public Mono<CurrentRequest> current(boolean withPrincipal, boolean withContent) {
			Mono<Optional<RequestContent>> content = withContent
					? ExchangeContent.of(this.exchange).map(Optional::of).defaultIfEmpty(Optional.empty())
					: Mono.just(Optional.empty());
			Mono<Optional<Principal>> principal = withPrincipal
					? principal().map(Optional::of).defaultIfEmpty(Optional.empty()) : Mono.just(Optional.empty());
			return Mono.zip(principal, content,
					(who, what) -> new CurrentExchange(this.exchange, who.orElse(null), what.orElse(null)));
		}

		private Mono<Principal> principal() {
			return this.exchange.<Principal>getPrincipal()
				.mapNotNull(SecurityPrincipal::unlessAnonymous)
				.switchIfEmpty(SecurityPrincipal.ofSubscriber());
		}

		@Override
		public @Nullable RequestCompletion end() {
			return this.exchange.getAttribute(RequestCompletion.ATTRIBUTE);
		}

		@Override
		public boolean isHandledBy(LockedMethod method) {
			return method.isHandler(this.exchange.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE));
		}

		@Override
		public @Nullable Executor eventLoop() {
			return REACTOR_NETTY_PRESENT ? EventLoops.of(this.exchange.getRequest()) : null;
		}

		@Override
		public @Nullable Mono<Void> respond(LockConflictException conflict, LockedCall call) {
			return this.rejections.write(conflict, call, this.exchange);
		}

		@Override
		public boolean notifiesOfResponse() {
			RecordedExchangeResponse recorded = RecordedExchangeResponse.of(this.exchange);
			if (recorded != null) {
				recorded.handledFor(this.exchange.getRequest().getURI());
			}
			return recorded != null;
		}

		@Override
		public void callAgain() {
			RequestCompletion end = end();
			if (end != null) {
				end.giveUpResponses();
			}
		}

		/** A response is made without blocking a thread, so it is known only later. */
		@Override
		public @Nullable Response make(@Nullable Object value) {
			return null;
		}

		@Override
		public CompletionStage<@Nullable Response> makeLater(@Nullable Object value) {
			RecordedExchangeResponse recorded = RecordedExchangeResponse.of(this.exchange);
			return (recorded != null) ? UnsentExchangeResponse.of(this.exchange, value, recorded.emptyBody())
				.map(recorded::of)
				.contextWrite(this.context)
				.toFuture() : CompletableFuture.completedStage(null);
		}

		@Override
		public @Nullable Integer status() {
			HttpStatusCode status = this.exchange.getResponse().getStatusCode();
			return (status != null) ? status.value() : null;
		}

		@Override
		public boolean replay(SharedResult result) {
			this.exchange.getResponse().getHeaders().set(ReplayedHeader.NAME, ReplayedHeader.VALUE);
			RecordedExchangeResponse recorded = RecordedExchangeResponse.of(this.exchange);
			if (result instanceof Response response && recorded != null) {
				recorded.replay(response);
				return true;
			}
			return false;
		}

	}

	/** A class of its own, because Reactor Netty is optional. */
	private static final class EventLoops {

		static @Nullable Executor of(ServerHttpRequest request) {
			EventLoop loop = (nativeRequest(request) instanceof Connection connection)
					? connection.channel().eventLoop() : null;
			return (loop != null && loop.inEventLoop()) ? loop : null;
		}

		private static @Nullable Object nativeRequest(ServerHttpRequest request) {
			try {
				return ServerHttpRequestDecorator.getNativeRequest(request);
			}
			catch (IllegalArgumentException | IllegalStateException ex) {
				// A request of a test, or a wrapper of the application, has no event
				// loop.
				return null;
			}
		}

	}

	private record CurrentExchange(ServerWebExchange exchange, @Nullable Principal principal,
			@Nullable RequestContent content) implements CurrentRequest {

		@Override
		public List<String> headers(String name) {
			return this.exchange.getRequest().getHeaders().getOrEmpty(name);
		}

		@Override
		public @Nullable String path() {
			return RequestPaths.canonical(this.exchange.getRequest().getPath().pathWithinApplication());
		}

		@Override
		public @Nullable String pathVariable(String name) {
			Map<String, String> variables = this.exchange
				.getAttributeOrDefault(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE, Map.of());
			return variables.get(name);
		}

		@Override
		public @Nullable String param(String name) {
			return this.exchange.getRequest().getQueryParams().getFirst(name);
		}

	}

}
