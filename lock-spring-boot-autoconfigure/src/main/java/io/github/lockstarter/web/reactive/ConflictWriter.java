package io.github.lockstarter.web.reactive;

import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

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
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.result.method.annotation.ResponseEntityResultHandler;
import org.springframework.web.server.NotAcceptableStatusException;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.interceptor.LockedCall;
import io.github.lockstarter.web.AcceptHeader;
import io.github.lockstarter.web.PreparedConflict;
import io.github.lockstarter.web.PreparedConflicts;
import io.github.lockstarter.web.PreparedConflicts.Kind;

/**
 * Answers conflicts of handlers with prepared documents, instead of Spring WebFlux's
 * exception handling. The first conflicts of a kind are error signals. If the advice of
 * this library answers them, their answers are kept for later conflicts. This is not done
 * in an application that observes errors or changes answers.
 */
public final class ConflictWriter {

	/** The name of the attribute with the kind of a conflict that is an error signal. */
	private static final String SIGNALLED = ConflictWriter.class.getName() + ".signalled";

	private final PreparedConflicts prepared = new PreparedConflicts();

	private final ConflictObservers observers;

	private final Supplier<ResponseEntityResultHandler> entities;

	/**
	 * Creates a writer.
	 * @param observers the components that would not observe a conflict
	 * @param entities writes entities, if there are no such components
	 */
	public ConflictWriter(ConflictObservers observers, Supplier<ResponseEntityResultHandler> entities) {
		this.observers = observers;
		this.entities = entities;
	}

	/**
	 * Answers the request if the answer is prepared.
	 * @return completes when the response has been written; {@code null} if the conflict
	 * has to be emitted as an error signal
	 */
	@Nullable Mono<Void> write(LockConflictException conflict, LockedCall call, ServerWebExchange exchange) {
		ServerHttpResponse response = exchange.getResponse();
		if (response.isCommitted() || !call.method().emitsEntity() || this.observers.exist() || prefersHtml(exchange)
				|| !(exchange
					.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE) instanceof HandlerMethod handler)) {
			return null;
		}
		Kind kind = Kind.of(handler.getBeanType(), conflict, RequestLocale.of(exchange), accepted(exchange));
		if (kind == null) {
			return null;
		}
		PreparedConflict answer = this.prepared.find(kind);
		byte[] body = (answer != null) ? answer.body(path(exchange), conflict.getRetryAfter().toMillis()) : null;
		if (answer == null || body == null) {
			if (this.prepared.wants(kind) && call.isOutermostOf(handler.createWithResolvedBean().getBean())) {
				exchange.getAttributes().put(SIGNALLED, kind);
			}
			return null;
		}
		response.setStatusCode(HttpStatusCode.valueOf(kind.status()));
		HttpHeaders headers = response.getHeaders();
		headers.putAll(conflict.getHeaders());
		headers.set(HttpHeaders.CONTENT_TYPE, answer.contentType());
		headers.setContentLength(body.length);
		return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
	}

	private static boolean prefersHtml(ServerWebExchange exchange) {
		return AcceptHeader.prefersHtml(exchange.getRequest().getHeaders().getOrEmpty(HttpHeaders.ACCEPT));
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
	 * Writes the answer to a conflict that was an error signal, and prepares later
	 * answers.
	 * @param type the return type of the answer
	 * @return completes when the answer has been written; {@code null} if answers cannot
	 * be prepared, and nothing is written
	 */
	@Nullable Mono<Void> writeSignalled(LockConflictException conflict, ResponseEntity<ProblemDetail> answer,
			MethodParameter type, ServerWebExchange exchange) {
		if (!(exchange.getAttribute(SIGNALLED) instanceof Kind kind)
				|| kind.status() != answer.getStatusCode().value()) {
			return null;
		}
		ServerHttpResponse response = new ServerHttpResponseDecorator(exchange.getResponse()) {

			@Override
			public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
				return DataBufferUtils.join(body).flatMap((buffer) -> {
					byte[] bytes = new byte[buffer.readableByteCount()];
					buffer.read(bytes);
					DataBufferUtils.release(buffer);
					ConflictWriter.this.prepared.add(kind,
							PreparedConflict.of(getHeaders().getFirst(HttpHeaders.CONTENT_TYPE), bytes, path(exchange),
									conflict.getRetryAfter().toMillis()));
					return super.writeWith(Mono.just(bufferFactory().wrap(bytes)));
				});
			}

		};
		return this.entities.get()
			.handleResult(exchange.mutate().response(response).build(),
					new HandlerResult(this, Mono.just(answer), type));
	}

}
