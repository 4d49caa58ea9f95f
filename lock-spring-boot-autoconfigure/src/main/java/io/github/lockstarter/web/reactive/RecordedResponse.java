package io.github.lockstarter.web.reactive;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.completion.ReactiveTypeAdapter;
import io.github.lockstarter.completion.RequestCompletion;
import io.github.lockstarter.result.ResponseHead;
import io.github.lockstarter.result.SharedResult.Answered;

/**
 * A response whose answer is kept for later duplicates, if leases are held for that. If
 * an earlier answer is replayed, nothing else is written.
 */
class RecordedResponse extends ServerHttpResponseDecorator {

	private static final byte[] NO_BODY = {};

	private final RequestCompletion end = new RequestCompletion();

	private volatile @Nullable Answered replayed;

	private RecordedResponse(ServerHttpResponse response) {
		super(response);
	}

	/** Returns the response, whose answer is recorded from now on. */
	static RecordedResponse of(ServerHttpResponse response) {
		return (response instanceof ZeroCopyHttpOutputMessage) ? new ZeroCopy(response)
				: new RecordedResponse(response);
	}

	/**
	 * Returns the recorded response to the request, if answers are recorded. Filters may
	 * have decorated it.
	 */
	static @Nullable RecordedResponse of(ServerWebExchange exchange) {
		ServerHttpResponse response = exchange.getResponse();
		while (response instanceof ServerHttpResponseDecorator decorator) {
			if (decorator instanceof RecordedResponse recorded) {
				return recorded;
			}
			response = decorator.getDelegate();
		}
		return null;
	}

	/** Returns the object that is notified of the answer and the end of the request. */
	RequestCompletion end() {
		return this.end;
	}

	/** Sets the status and the headers. */
	static void setHead(ResponseHead head, ServerHttpResponse response) {
		if (head.status() != null) {
			response.setStatusCode(HttpStatusCode.valueOf(head.status()));
		}
		head.headers().forEach(response.getHeaders()::put);
	}

	/** Replaces the answer with an earlier one. */
	void replay(Answered answer) {
		this.replayed = answer;
	}

	/** Ends the request. */
	void ended() {
		this.end.answerLost("It is a stream, or its client has disconnected before it was known");
		this.end.reached();
	}

	private Mono<Void> keep(byte[] body) {
		HttpStatusCode status = getStatusCode();
		return keep(Answered.withBody(
				ResponseHead.of((status != null) ? status.value() : HttpStatus.OK.value(), getHeaders()::get), body));
	}

	/** The lock is released before the client receives the answer. */
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
		// The handler may be called only at the first subscription.
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
		byte[] bytes = (answer.bytes() != null) ? answer.bytes() : NO_BODY;
		return Mono.fromSupplier(() -> {
			getHeaders().clearContentHeaders();
			setHead(answer.response(), getDelegate());
			getHeaders().setContentLength(bytes.length);
			return bufferFactory().wrap(bytes);
		});
	}

	@Override
	public Mono<Void> setComplete() {
		Answered answer = this.replayed;
		if (isCommitted()) {
			return super.setComplete();
		}
		// The answer to a HEAD request is complete only at this point.
		return (answer != null) ? replayedBody(answer).flatMap((body) -> getDelegate().writeWith(Mono.just(body)))
			.then(Mono.defer(super::setComplete)) : keep(NO_BODY).then(super.setComplete());
	}

	/** A response that can send a file without copying its bytes through the JVM. */
	private static final class ZeroCopy extends RecordedResponse implements ZeroCopyHttpOutputMessage {

		ZeroCopy(ServerHttpResponse response) {
			super(response);
		}

		@Override
		public Mono<Void> writeWith(Path file, long position, long count) {
			return ((ZeroCopyHttpOutputMessage) getDelegate()).writeWith(file, position, count);
		}

	}

}
