package io.github.lockstarter.web.reactive;

import java.util.stream.Stream;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.io.Resource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.reactive.AbstractServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.util.ClassUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.reactive.result.method.annotation.AbstractMessageWriterResultHandler;
import org.springframework.web.server.ServerWebExchange;

/**
 * A response that is made before the transaction of its handler ends, with the writers of
 * the application. It is not sent.
 */
final class UnsentExchangeResponse extends AbstractServerHttpResponse {

	private static final boolean NETTY_PRESENT = ClassUtils.isPresent("io.netty.buffer.ByteBuf",
			UnsentExchangeResponse.class.getClassLoader());

	private final RecordedBody body;

	/**
	 * Creates a response.
	 * @param until the response until now
	 * @param body records the body
	 */
	UnsentExchangeResponse(ServerHttpResponse until, RecordedBody body) {
		super(DefaultDataBufferFactory.sharedInstance, HttpHeaders.copyOf(until.getHeaders()));
		setStatusCode(until.getStatusCode());
		this.body = body;
	}

	/**
	 * Makes the response to the value of a handler. Emits nothing if it is known only
	 * when it is sent: that of a view or a conditional request, one that the handler
	 * writes itself, and a body that can be read only once.
	 * @param value the value that the handler emits
	 * @param body records the body
	 */
	static Mono<UnsentExchangeResponse> of(ServerWebExchange exchange, @Nullable Object value, RecordedBody body) {
		Object attribute = exchange.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE);
		Object content = (value instanceof HttpEntity<?> entity) ? entity.getBody() : value;
		if (!(attribute instanceof HandlerMethod handler) || exchange.getApplicationContext() == null
				|| exchange.getRequest().getMethod().equals(HttpMethod.GET)
				|| exchange.getRequest().getMethod().equals(HttpMethod.HEAD)
				|| (content == null ? mayHaveWritten(handler, exchange.getResponse()) : canBeReadOnce(content))) {
			return Mono.empty();
		}
		ReactiveAdapter declared = adapter(handler.getReturnType().getParameterType());
		Mono<Object> emitted = Mono.justOrEmpty(value);
		HandlerResult result = new HandlerResult(handler,
				(declared != null) ? declared.fromPublisher(emitted) : emitted, handler.getReturnType());
		UnsentExchangeResponse response = new UnsentExchangeResponse(exchange.getResponse(), body);
		return Mono
			.justOrEmpty(exchange.getApplicationContext()
				.getBeanProvider(HandlerResultHandler.class)
				.orderedStream()
				.filter((each) -> each.supports(result))
				.findFirst())
			.filter(AbstractMessageWriterResultHandler.class::isInstance)
			.flatMap((writer) -> writer.handleResult(exchange.mutate().response(response).build(), result)
				.then(Mono.defer(response::setComplete))
				.thenReturn(response));
	}

	/** Without a value, Spring leaves the response to a handler that has access to it. */
	private static boolean mayHaveWritten(HandlerMethod handler, ServerHttpResponse response) {
		return response.isCommitted() || Stream.of(handler.getMethodParameters())
			.map(MethodParameter::getParameterType)
			.anyMatch((type) -> ServerWebExchange.class.isAssignableFrom(type)
					|| ServerHttpResponse.class.isAssignableFrom(type));
	}

	private static boolean canBeReadOnce(Object content) {
		return content instanceof Resource || content instanceof DataBuffer || adapter(content.getClass()) != null
				|| (NETTY_PRESENT && NettyBuffers.isBuffer(content));
	}

	private static @Nullable ReactiveAdapter adapter(Class<?> type) {
		return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
	}

	byte[] body() {
		return this.body.bytes();
	}

	@Override
	@SuppressWarnings("TypeParameterUnusedInFormals") // as declared by Spring
	public <T> T getNativeResponse() {
		throw new IllegalStateException("The response is not sent");
	}

	@Override
	protected Mono<Void> writeWithInternal(Publisher<? extends DataBuffer> body) {
		return Flux.from(body).doOnNext((buffer) -> {
			this.body.add(buffer);
			DataBufferUtils.release(buffer);
		}).then();
	}

	@Override
	protected Mono<Void> writeAndFlushWithInternal(Publisher<? extends Publisher<? extends DataBuffer>> body) {
		return writeWithInternal(Flux.from(body).concatMap((each) -> each));
	}

	@Override
	protected void applyStatusCode() {
		// There is no server that needs it.
	}

	@Override
	protected void applyHeaders() {
		// There is no server that needs them.
	}

	@Override
	protected void applyCookies() {
		// There is no server that needs them.
	}

	/** A class of its own, because Netty is optional. */
	private static final class NettyBuffers {

		static boolean isBuffer(Object content) {
			return content instanceof ByteBuf;
		}

	}

}
