package io.github.lockstarter.web.reactive;

import java.io.ByteArrayOutputStream;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

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
final class UnsentResponse extends AbstractServerHttpResponse {

	private final ByteArrayOutputStream body = new ByteArrayOutputStream();

	private UnsentResponse(ServerHttpResponse until) {
		super(DefaultDataBufferFactory.sharedInstance, HttpHeaders.copyOf(until.getHeaders()));
		setStatusCode(until.getStatusCode());
	}

	/**
	 * Makes the response to the value of a handler. Emits nothing if it is known only
	 * when it is sent: that of a view or a conditional request, and a body that can be
	 * read only once.
	 * @param value the value that the handler emits
	 */
	static Mono<UnsentResponse> of(ServerWebExchange exchange, @Nullable Object value) {
		Object attribute = exchange.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE);
		Object content = (value instanceof HttpEntity<?> entity) ? entity.getBody() : value;
		if (!(attribute instanceof HandlerMethod handler) || exchange.getApplicationContext() == null
				|| exchange.getRequest().getMethod().equals(HttpMethod.GET)
				|| exchange.getRequest().getMethod().equals(HttpMethod.HEAD) || content instanceof Resource
				|| (content != null && adapter(content.getClass()) != null)) {
			return Mono.empty();
		}
		ReactiveAdapter declared = adapter(handler.getReturnType().getParameterType());
		Mono<Object> emitted = Mono.justOrEmpty(value);
		HandlerResult result = new HandlerResult(handler,
				(declared != null) ? declared.fromPublisher(emitted) : emitted, handler.getReturnType());
		UnsentResponse response = new UnsentResponse(exchange.getResponse());
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

	private static @Nullable ReactiveAdapter adapter(Class<?> type) {
		return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
	}

	byte[] body() {
		return this.body.toByteArray();
	}

	@Override
	@SuppressWarnings("TypeParameterUnusedInFormals") // as declared by Spring
	public <T> T getNativeResponse() {
		throw new IllegalStateException("The response is not sent");
	}

	@Override
	protected Mono<Void> writeWithInternal(Publisher<? extends DataBuffer> body) {
		return DataBufferUtils.write(Flux.from(body), this.body).doOnNext(DataBufferUtils::release).then();
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

}
