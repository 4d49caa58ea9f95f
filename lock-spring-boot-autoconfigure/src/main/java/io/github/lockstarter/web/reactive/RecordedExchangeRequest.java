package io.github.lockstarter.web.reactive;

import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpCookie;
import org.springframework.http.server.reactive.AbstractServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.http.server.reactive.SslInfo;
import org.springframework.util.MultiValueMap;
import org.springframework.web.server.ServerWebExchange;

/**
 * A request whose body can be compared with that of another one, before or after it is
 * read. It is outside of all filters, which may read the body, too.
 */
final class RecordedExchangeRequest extends AbstractServerHttpRequest {

	private final ByteArrayOutputStream read = new ByteArrayOutputStream();

	/** The whole body, once it has been read. */
	private volatile byte @Nullable [] body;

	/** Whether anybody may ask for the body. */
	private volatile BooleanSupplier wanted = () -> true;

	private final ServerHttpRequest request;

	private final long maxSize;

	private volatile boolean tooLarge;

	/**
	 * Like a request of Spring, it shares its attributes with its exchange.
	 * @param maxSize the largest number of bytes to record
	 */
	RecordedExchangeRequest(ServerHttpRequest request, long maxSize) {
		super(request.getMethod(), request.getURI(), request.getPath().contextPath().value(), request.getHeaders());
		this.request = request;
		this.maxSize = maxSize;
	}

	/**
	 * Returns the recorded request of an exchange, if there is one. Filters may have
	 * replaced it.
	 */
	static @Nullable RecordedExchangeRequest of(ServerWebExchange exchange) {
		RecordedExchangeResponse response = RecordedExchangeResponse.of(exchange);
		return (response != null) ? response.request() : null;
	}

	/**
	 * Records what is read only as long as somebody may ask for the body.
	 * @param wanted whether somebody may
	 */
	void recordIf(BooleanSupplier wanted) {
		this.wanted = wanted;
	}

	/**
	 * Emits the whole body, and reads what has not been read. It can still be read by
	 * others. Emits nothing if the body is too large.
	 */
	Mono<byte[]> body() {
		return Mono.defer(() -> {
			byte[] known = this.body;
			if (known != null) {
				return Mono.just(known);
			}
			if (this.tooLarge || getHeaders().getContentLength() > this.maxSize) {
				return Mono.empty();
			}
			return recorded().map(DataBufferUtils::release)
				.takeUntil((released) -> this.tooLarge)
				.then(Mono.defer(() -> Mono.justOrEmpty(this.body)));
		});
	}

	/** A reader may cancel when it has read all that it needs, as that of parts does. */
	private Flux<DataBuffer> recorded() {
		return this.request.getBody().doOnNext((buffer) -> {
			byte[] part = new byte[buffer.readableByteCount()];
			int position = buffer.readPosition();
			buffer.read(part);
			buffer.readPosition(position);
			record(part);
		}).doOnComplete(this::end).doOnCancel(this::end);
	}

	private void record(byte[] part) {
		if (this.read.size() + part.length > this.maxSize) {
			this.tooLarge = true;
			this.read.reset();
		}
		else if (!this.tooLarge) {
			this.read.writeBytes(part);
		}
	}

	private void end() {
		if (!this.tooLarge) {
			this.body = this.read.toByteArray();
		}
	}

	@Override
	protected String initId() {
		return this.request.getId();
	}

	@Override
	protected MultiValueMap<String, HttpCookie> initCookies() {
		return this.request.getCookies();
	}

	@Override
	protected @Nullable SslInfo initSslInfo() {
		return this.request.getSslInfo();
	}

	@Override
	@SuppressWarnings("TypeParameterUnusedInFormals") // as Spring declares it
	public <T> T getNativeRequest() {
		return ServerHttpRequestDecorator.getNativeRequest(this.request);
	}

	@Override
	public @Nullable InetSocketAddress getLocalAddress() {
		return this.request.getLocalAddress();
	}

	@Override
	public @Nullable InetSocketAddress getRemoteAddress() {
		return this.request.getRemoteAddress();
	}

	@Override
	public Flux<DataBuffer> getBody() {
		return Flux.defer(() -> {
			byte[] known = this.body;
			if (known == null) {
				return this.wanted.getAsBoolean() ? recorded() : this.request.getBody();
			}
			return (known.length > 0) ? Flux.just(DefaultDataBufferFactory.sharedInstance.wrap(known)) : Flux.empty();
		});
	}

}
