package io.github.lockstarter.web.reactive;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.MethodParameter;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.DispatchExceptionHandler;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.reactive.result.method.annotation.ResponseEntityResultHandler;
import org.springframework.web.server.NotAcceptableStatusException;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.interceptor.LockedCall;
import io.github.lockstarter.web.PreparedRejection;
import io.github.lockstarter.web.PreparedRejections.ConflictKind;
import io.github.lockstarter.web.PreparedRejections;

/**
 * Responds to conflicts of handlers with prepared documents, instead of Spring WebFlux's
 * exception handling. The first conflicts of a kind are error signals. If the advice of
 * this library handles them, its responses are kept for later conflicts. This is not done
 * in an application that observes errors or changes responses.
 */
public final class PreparedRejectionWriter {

	/** The name of the attribute with the kind of a conflict that is an error signal. */
	private static final String SIGNALLED = PreparedRejectionWriter.class.getName() + ".signalled";

	private final PreparedRejections prepared = new PreparedRejections();

	private final ReactiveConflictObservers observers;

	private final Supplier<ResponseEntityResultHandler> entities;

	private final BooleanSupplier enabled;

	/**
	 * Creates a writer.
	 * @param beans the beans of the application
	 * @param enabled whether responses are prepared
	 */
	public PreparedRejectionWriter(ListableBeanFactory beans, BooleanSupplier enabled) {
		this.observers = new ReactiveConflictObservers(beans);
		this.entities = SingletonSupplier
			.of(() -> beans.getBean(ReactiveConflictObservers.ENTITIES, ResponseEntityResultHandler.class));
		this.enabled = enabled;
	}

	/**
	 * Responds to the request if the response is prepared.
	 * @return completes when the response has been written; {@code null} if the conflict
	 * has to be emitted as an error signal
	 */
	@Nullable Mono<Void> write(LockConflictException conflict, LockedCall call, ServerWebExchange exchange) {
		ServerHttpResponse response = exchange.getResponse();
		if (!this.enabled.getAsBoolean() || response.isCommitted() || !call.method().emitsEntity()
				|| this.observers.exist() || ReactiveLockExceptionHandler.prefersHtml(exchange) || !(exchange
					.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE) instanceof HandlerMethod handler)) {
			return null;
		}
		ConflictKind kind = ConflictKind.of(handler.getBeanType(), conflict, RequestLocale.of(exchange),
				accepted(exchange));
		if (kind == null) {
			return null;
		}
		PreparedRejection found = this.prepared.find(kind);
		byte[] body = (found != null) ? found.body(path(exchange), conflict.getRetryAfter().toMillis()) : null;
		if (found == null || body == null) {
			if (this.prepared.wants(kind) && call.isOutermostOf(handler.createWithResolvedBean().getBean())) {
				exchange.getAttributes().put(SIGNALLED, kind);
			}
			return null;
		}
		response.setStatusCode(HttpStatusCode.valueOf(kind.status()));
		HttpHeaders headers = response.getHeaders();
		headers.putAll(conflict.getHeaders());
		headers.set(HttpHeaders.CONTENT_TYPE, found.contentType());
		headers.setContentLength(body.length);
		return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
	}

	private static String path(ServerWebExchange exchange) {
		return exchange.getRequest().getPath().value();
	}

	/** Returns an empty list if the header is not valid. */
	private List<MediaType> accepted(ServerWebExchange exchange) {
		try {
			return this.entities.get().getContentTypeResolver().resolveMediaTypes(exchange);
		}
		catch (NotAcceptableStatusException ex) {
			return List.of();
		}
	}

	/**
	 * Writes the response to a conflict that was an error signal, and prepares later
	 * responses.
	 * @param type the return type of the response
	 * @return completes when the response has been written; {@code null} if responses
	 * cannot be prepared, and nothing is written
	 */
	@Nullable Mono<Void> writeSignalled(LockConflictException conflict, ResponseEntity<ProblemDetail> entity,
			MethodParameter type, ServerWebExchange exchange) {
		if (!(exchange.getAttribute(SIGNALLED) instanceof ConflictKind kind)
				|| kind.status() != entity.getStatusCode().value()) {
			return null;
		}
		ServerHttpResponse response = new ServerHttpResponseDecorator(exchange.getResponse()) {

			@Override
			public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
				return DataBufferUtils.join(body).flatMap((buffer) -> {
					byte[] bytes = new byte[buffer.readableByteCount()];
					buffer.read(bytes);
					DataBufferUtils.release(buffer);
					PreparedRejectionWriter.this.prepared.add(kind,
							PreparedRejection.of(getHeaders().getFirst(HttpHeaders.CONTENT_TYPE), bytes, path(exchange),
									conflict.getRetryAfter().toMillis()));
					return super.writeWith(Mono.just(bufferFactory().wrap(bytes)));
				});
			}

		};
		return this.entities.get()
			.handleResult(exchange.mutate().response(response).build(),
					new HandlerResult(this, Mono.just(entity), type));
	}

	/**
	 * Finds components of the application that observe a conflict, or change its
	 * response, only if Spring WebFlux handles the error signal.
	 */
	private static final class ReactiveConflictObservers {

		/** The name of the bean that writes entities. */
		static final String ENTITIES = "responseEntityResultHandler";

		private final Supplier<Boolean> found;

		/**
		 * Creates an instance, which searches for the components at the first conflict.
		 * @param beans the beans of the application
		 */
		ReactiveConflictObservers(ListableBeanFactory beans) {
			this.found = SingletonSupplier
				.of(() -> !beans.containsBean(ENTITIES) || changesResponses(beans.getBean(ENTITIES))
						|| beans.getBeanProvider(HandlerResultHandler.class)
							.stream()
							.anyMatch(ReactiveConflictObservers::isForeign)
						|| beans.getBeanProvider(DispatchExceptionHandler.class)
							.stream()
							.anyMatch((handler) -> handler.getClass() != RequestMappingHandlerAdapter.class));
		}

		private static boolean changesResponses(Object entities) {
			return entities.getClass() != ResponseEntityResultHandler.class
					|| !((ResponseEntityResultHandler) entities).getErrorResponseInterceptors().isEmpty();
		}

		private static boolean isForeign(HandlerResultHandler handler) {
			return !(handler instanceof DeferredResponseEntityHandler)
					&& !handler.getClass().getName().startsWith("org.springframework.web.reactive.");
		}

		/** Returns whether the application has any. */
		boolean exist() {
			return this.found.get();
		}

	}

}
