package io.github.lockstarter.web.reactive;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.completion.ReactiveTypeAdapter;
import io.github.lockstarter.completion.RequestCompletion;
import io.github.lockstarter.result.ResponseHead;
import io.github.lockstarter.result.SharedResult.Answered;

/**
 * A response whose answer is kept for later duplicates while leases are held for that.
 * Where an earlier answer is replayed, nothing else is written.
 */
final class RecordedResponse extends ServerHttpResponseDecorator {

	private static final String ATTRIBUTE = RecordedResponse.class.getName();

	private static final byte[] NO_BODY = {};

	private final RequestCompletion end;

	private volatile @Nullable Answered replayed;

	private RecordedResponse(ServerHttpResponse response, RequestCompletion end) {
		super(response);
		this.end = end;
	}

	/**
	 * Returns the response to the request.
	 * @param end tells whether leases wait for the answer
	 */
	static RecordedResponse of(ServerWebExchange exchange, RequestCompletion end) {
		RecordedResponse response = new RecordedResponse(exchange.getResponse(), end);
		exchange.getAttributes().put(ATTRIBUTE, response);
		return response;
	}

	/** Returns the response to the request, if answers are recorded. */
	static @Nullable RecordedResponse of(ServerWebExchange exchange) {
		return exchange.getAttribute(ATTRIBUTE);
	}

	/** Sets the status and the headers. */
	static void setHead(ResponseHead head, ServerHttpResponse response) {
		if (head.status() != null) {
			response.setStatusCode(HttpStatusCode.valueOf(head.status()));
		}
		head.headers().forEach(response.getHeaders()::put);
	}

	/** Lets an earlier answer be written in the place of all else. */
	void replay(Answered answer) {
		this.replayed = answer;
	}

	/**
	 * Ends the handling of the request, which has written all that it writes.
	 * @return an error if the application's error page is to write an earlier answer
	 */
	Mono<Void> handled() {
		Answered answer = this.replayed;
		if (isCommitted()) {
			return Mono.empty();
		}
		return (answer != null) ? replayedBody(answer).flatMap((body) -> getDelegate().writeWith(Mono.just(body)))
				: keep(NO_BODY);
	}

	/**
	 * Ends the handling of the request with a failure that only the application's error
	 * page will handle.
	 */
	Mono<Void> failed(Throwable failure) {
		return (this.replayed != null) ? Mono.empty() : keep(errorPage(failure)).then(Mono.error(failure));
	}

	private static Answered errorPage(Throwable failure) {
		if (failure instanceof ErrorResponse response) {
			return Answered.byErrorPage(response.getStatusCode().value(),
					(failure instanceof ResponseStatusException withReason) ? withReason.getReason() : null);
		}
		ResponseStatus annotation = AnnotatedElementUtils.findMergedAnnotation(failure.getClass(),
				ResponseStatus.class);
		return (annotation != null) ? Answered.byErrorPage(annotation.code().value(), annotation.reason())
				: Answered.byErrorPage(HttpStatus.INTERNAL_SERVER_ERROR.value(), null);
	}

	/** Reports that the answer has not been kept, if it was to be. */
	void lost() {
		this.end.answerLost("It is a stream, or its client has disconnected before it was known");
	}

	private Mono<Void> keep(byte[] body) {
		HttpStatusCode status = getStatusCode();
		return keep(Answered.withBody(
				ResponseHead.of((status != null) ? status.value() : HttpStatus.OK.value(), getHeaders()::get), body));
	}

	/** The lock is free before the client has the answer. */
	private Mono<Void> keep(Answered answer) {
		return this.end.awaitsAnswer()
				? ReactiveTypeAdapter.goOn(Mono.fromCompletionStage(() -> this.end.answered(answer))) : Mono.empty();
	}

	@Override
	public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
		if (this.replayed != null) {
			return discard(body);
		}
		if (body instanceof Mono<? extends DataBuffer> one) {
			return super.writeWith(this.end.awaitsAnswer() ? one.flatMap(this::kept) : one);
		}
		// The handler may be called by the first subscription.
		return super.writeWith(Flux.<DataBuffer>from(body).switchOnFirst((first, values) -> {
			Answered answer = this.replayed;
			return (answer != null) ? discard(values).then(replayedBody(answer)) : values;
		}));
	}

	/** Returns the body, once it has been kept. */
	private Mono<DataBuffer> kept(DataBuffer body) {
		byte[] bytes = new byte[body.readableByteCount()];
		body.read(bytes);
		DataBufferUtils.release(body);
		return keep(bytes).then(Mono.fromSupplier(() -> bufferFactory().wrap(bytes)));
	}

	@Override
	public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
		if (this.replayed != null) {
			return discard(Flux.from(body).concatMap((each) -> each));
		}
		return super.writeAndFlushWith(
				Flux.<Publisher<? extends DataBuffer>>from(body).switchOnFirst((first, values) -> {
					Answered answer = this.replayed;
					return (answer != null) ? discard(values.concatMap((each) -> each))
						.then(replayedBody(answer).<Publisher<? extends DataBuffer>>map(Mono::just)) : values;
				}));
	}

	private static Mono<Void> discard(Publisher<? extends DataBuffer> body) {
		return Flux.from(body).doOnNext(DataBufferUtils::release).then();
	}

	/** Returns the body of an earlier answer, after the head has been set. */
	private Mono<DataBuffer> replayedBody(Answered answer) {
		byte[] bytes = answer.bytes();
		if (bytes == null) {
			return Mono.error(new ResponseStatusException(HttpStatusCode.valueOf(answer.status()), answer.reason()));
		}
		return Mono.fromSupplier(() -> {
			getHeaders().clearContentHeaders();
			setHead(answer.response(), getDelegate());
			getHeaders().setContentLength(bytes.length);
			return bufferFactory().wrap(bytes);
		});
	}

	@Override
	public Mono<Void> setComplete() {
		return (this.replayed != null) ? Mono.empty() : keep(NO_BODY).then(super.setComplete());
	}

}
