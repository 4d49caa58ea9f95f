package io.github.lockstarter.web.reactive;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.completion.ReactiveTypeAdapter;
import io.github.lockstarter.completion.RequestCompletion;
import io.github.lockstarter.result.ResponseHead;
import io.github.lockstarter.result.SharedResult.Response;
import io.github.lockstarter.web.RelativeLocations;

/**
 * A response that is kept for later duplicates, if leases are held for that. If an
 * earlier one is replayed, nothing else is written.
 */
class RecordedExchangeResponse extends ServerHttpResponseDecorator {

	private static final byte[] NO_BODY = {};

	private final RequestCompletion end = new RequestCompletion();

	private final long maxSize;

	private final RecordedBody body;

	private volatile @Nullable Response replayed;

	/** The address of the request as the handler sees it. */
	private volatile @Nullable URI address;

	/** The status and the headers before the server has changed them. */
	private volatile @Nullable ResponseHead head;

	private final RecordedExchangeRequest request;

	private RecordedExchangeResponse(RecordedExchangeRequest request, ServerHttpResponse response, long maxSize) {
		super(response);
		this.request = request;
		response.beforeCommit(() -> Mono.fromRunnable(() -> this.head = head(this)));
		this.maxSize = maxSize;
		this.body = emptyBody();
	}

	/**
	 * Returns the response, which is recorded from now on.
	 * @param maxSize the largest number of bytes to record
	 */
	static RecordedExchangeResponse of(RecordedExchangeRequest request, ServerHttpResponse response, long maxSize) {
		return (response instanceof ZeroCopyHttpOutputMessage) ? new ZeroCopy(request, response, maxSize)
				: new RecordedExchangeResponse(request, response, maxSize);
	}

	/**
	 * Returns the recorded response to the request, if responses are recorded. Filters
	 * may have decorated it.
	 */
	static @Nullable RecordedExchangeResponse of(ServerWebExchange exchange) {
		ServerHttpResponse response = exchange.getResponse();
		while (response instanceof ServerHttpResponseDecorator decorator) {
			if (decorator instanceof RecordedExchangeResponse recorded) {
				return recorded;
			}
			response = decorator.getDelegate();
		}
		return null;
	}

	RecordedExchangeRequest request() {
		return this.request;
	}

	/** Returns the object that is notified of the response and the end of the request. */
	RequestCompletion end() {
		return this.end;
	}

	/** Sets the status and the headers. */
	private static void setHead(ResponseHead head, ServerHttpResponse response) {
		if (head.status() != null) {
			response.setStatusCode(HttpStatusCode.valueOf(head.status()));
		}
		head.headers().forEach(response.getHeaders()::put);
	}

	/** Replaces the response with an earlier one. */
	void replay(Response response) {
		this.replayed = response;
	}

	/** Records the response for a request to the address. */
	void handledFor(URI address) {
		this.address = address;
	}

	/**
	 * Ends the request. A handler that wrote its response itself may have ended only
	 * after that.
	 */
	void ended() {
		if (this.body.isComplete() && this.end.awaitsResponse()) {
			keep(response()).subscribe();
		}
		this.end.reached();
	}

	private Response response() {
		ResponseHead committed = this.head;
		return Response.withBody((committed != null) ? committed : head(this), this.body.bytes());
	}

	/** Returns an empty body that records as many bytes as this response does. */
	final RecordedBody emptyBody() {
		return new RecordedBody(this.maxSize);
	}

	/** Returns what is kept of a response that was made for the same request. */
	Response of(UnsentExchangeResponse made) {
		return Response.withBody(head(made), made.body());
	}

	private ResponseHead head(ServerHttpResponse response) {
		HttpStatusCode status = response.getStatusCode();
		return ResponseHead.of((status != null) ? status.value() : HttpStatus.OK.value(),
				(header) -> values(response.getHeaders(), header));
	}

	private @Nullable List<String> values(HttpHeaders headers, String header) {
		List<String> values = headers.get(header);
		URI own = this.address;
		return (values != null && own != null && header.equals(HttpHeaders.LOCATION)) ? values.stream()
			.map((value) -> RelativeLocations.relative(value, own.getScheme(), host(own), own.getPort()))
			.toList() : values;
	}

	/** A host with an underscore is none for a URI. */
	private static @Nullable String host(URI address) {
		return (address.getHost() != null) ? address.getHost() : address.getRawAuthority();
	}

	/** Keeps the response, whose body is complete. */
	private Mono<Void> keep() {
		return Mono.defer(() -> {
			this.body.complete();
			return keep(response());
		});
	}

	/** The lock is released before the client receives the response. */
	private Mono<Void> keep(Response response) {
		if (HttpMethod.HEAD.equals(this.request.getMethod())) {
			this.end.dropResponses();
			return Mono.empty();
		}
		return this.end.awaitsResponse()
				? ReactiveTypeAdapter.goOn(Mono.fromCompletionStage(() -> this.end.responded(response))) : Mono.empty();
	}

	@Override
	public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
		if (this.replayed != null) {
			return discard(body);
		}
		if (body instanceof Mono<? extends DataBuffer> one) {
			return super.writeWith(
					one.flatMap((buffer) -> record(buffer) ? keep().thenReturn(buffer) : Mono.just(buffer)));
		}
		// The handler may be called only at the first subscription.
		return super.writeWith(Flux.<DataBuffer>from(body).switchOnFirst((first, values) -> {
			Response response = this.replayed;
			return (response != null) ? discard(values).then(replayedBody(response)) : recorded(values);
		}));
	}

	private Flux<DataBuffer> recorded(Flux<DataBuffer> values) {
		if (getHeaders().getContentLength() < 0 || !this.end.mayAwaitResponse()) {
			return values.doOnNext(this::record).concatWith(keep().then(Mono.empty()));
		}
		// The client has the whole response with its last byte. So that is sent only
		// after the response has been stored.
		return values.map(this::recordOnHeap)
			.buffer(2, 1)
			.concatMap((next) -> (next.size() == 2) ? Mono.just(next.get(0)) : keep().thenReturn(next.get(0)), 1);
	}

	/** Records a part of the body, and returns it as a buffer that needs no release. */
	private DataBuffer recordOnHeap(DataBuffer buffer) {
		record(buffer);
		byte[] bytes = new byte[buffer.readableByteCount()];
		buffer.read(bytes);
		DataBufferUtils.release(buffer);
		return DefaultDataBufferFactory.sharedInstance.wrap(bytes);
	}

	/** Records a part of the body, if the response may have to be kept. */
	private boolean record(DataBuffer buffer) {
		boolean records = this.end.mayAwaitResponse();
		if (records) {
			this.body.add(buffer);
		}
		return records;
	}

	@Override
	public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
		if (this.replayed != null) {
			return discard(Flux.from(body).concatMap((each) -> each));
		}
		return super.writeAndFlushWith(
				Flux.<Publisher<? extends DataBuffer>>from(body).switchOnFirst((first, values) -> {
					Response response = this.replayed;
					return (response != null)
							? discard(values.concatMap((each) -> each))
								.then(replayedBody(response).<Publisher<? extends DataBuffer>>map(Mono::just))
							: values
								.<Publisher<? extends DataBuffer>>map(
										(each) -> Flux.<DataBuffer>from(each).doOnNext(this::record))
								.concatWith(keep().then(Mono.empty()));
				}));
	}

	private static Mono<Void> discard(Publisher<? extends DataBuffer> body) {
		return Flux.from(body).doOnNext(DataBufferUtils::release).then();
	}

	/** Returns the body of an earlier response, after the head has been set. */
	private Mono<DataBuffer> replayedBody(Response response) {
		byte[] bytes = (response.bytes() != null) ? response.bytes() : NO_BODY;
		return Mono.fromSupplier(() -> {
			getHeaders().clearContentHeaders();
			setHead(response.head(), getDelegate());
			getHeaders().setContentLength(bytes.length);
			return bufferFactory().wrap(bytes);
		});
	}

	@Override
	public Mono<Void> setComplete() {
		Response response = this.replayed;
		if (isCommitted()) {
			return super.setComplete();
		}
		// The response to a HEAD request is complete only at this point.
		return (response != null) ? replayedBody(response).flatMap((body) -> getDelegate().writeWith(Mono.just(body)))
			.then(Mono.defer(super::setComplete)) : keep().then(super.setComplete());
	}

	/** A response that can send a file without copying its bytes through the JVM. */
	private static final class ZeroCopy extends RecordedExchangeResponse implements ZeroCopyHttpOutputMessage {

		private static final int BUFFER_SIZE = 8192;

		ZeroCopy(RecordedExchangeRequest request, ServerHttpResponse response, long maxSize) {
			super(request, response, maxSize);
		}

		@Override
		public Mono<Void> writeWith(Path file, long position, long count) {
			if (end().mayAwaitResponse()) {
				return writeWith(DataBufferUtils.takeUntilByteCount(
						DataBufferUtils.read(new FileSystemResource(file), position, bufferFactory(), BUFFER_SIZE),
						count));
			}
			return ((ZeroCopyHttpOutputMessage) getDelegate()).writeWith(file, position, count);
		}

	}

}
