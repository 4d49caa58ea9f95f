package io.github.lockstarter.web.reactive;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ResolvableType;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.ReactiveHttpInputMessage;
import org.springframework.http.codec.multipart.DefaultPartHttpMessageReader;
import org.springframework.http.codec.multipart.Part;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.key.RequestContent;
import io.github.lockstarter.key.RequestContent.Body;
import io.github.lockstarter.web.FormParameters;
import io.github.lockstarter.web.RequestPaths;

/**
 * Reads what the client of an exchange has sent.
 */
final class ExchangeContent {

	private ExchangeContent() {
	}

	/**
	 * Emits the content; nothing if the body is not recorded, so that reading it would
	 * take it from the handler.
	 */
	static Mono<RequestContent> of(ServerWebExchange exchange) {
		RecordedExchangeRequest recorded = RecordedExchangeRequest.of(exchange);
		if (recorded == null) {
			return Mono.empty();
		}
		MediaType type = type(exchange);
		if (type != null && MediaType.APPLICATION_FORM_URLENCODED.isCompatibleWith(type)) {
			Charset charset = (type.getCharset() != null) ? type.getCharset() : StandardCharsets.UTF_8;
			return recorded.body()
				.flatMap((form) -> Mono.justOrEmpty(FormParameters.of(parameters(exchange), form, charset)))
				.map((parameters) -> new RequestContent(method(exchange), matrix(exchange), parameters.all(),
						Body.EMPTY, List.of()))
				.switchIfEmpty(tooLarge(exchange));
		}
		if (MediaType.MULTIPART_FORM_DATA.isCompatibleWith(type)) {
			return recorded.body()
				.flatMap((body) -> parts(exchange, body)
					.map((parts) -> new RequestContent(method(exchange), matrix(exchange), parameters(exchange),
							Body.EMPTY, parts))
					// The application may have a better response to a malformed body.
					.onErrorReturn(of(exchange, new Body(text(type), body))))
				.switchIfEmpty(tooLarge(exchange));
		}
		return recorded.body()
			.map((body) -> of(exchange, new Body(text(type), body)))
			.switchIfEmpty(tooLarge(exchange));
	}

	private static RequestContent of(ServerWebExchange exchange, Body body) {
		return new RequestContent(method(exchange), matrix(exchange), parameters(exchange), body, List.of());
	}

	private static Mono<RequestContent> tooLarge(ServerWebExchange exchange) {
		return Mono.fromSupplier(() -> of(exchange, Body.TOO_LARGE));
	}

	private static Mono<List<RequestContent.Part>> parts(ServerWebExchange exchange, byte[] body) {
		DefaultPartHttpMessageReader reader = new DefaultPartHttpMessageReader();
		reader.setMaxInMemorySize(-1);
		return reader
			.read(ResolvableType.forClass(Part.class),
					new Message(exchange.getRequest().getHeaders(), DefaultDataBufferFactory.sharedInstance.wrap(body)),
					Map.of())
			.concatMap(ExchangeContent::part)
			.collectList();
	}

	private static Mono<RequestContent.Part> part(Part part) {
		MediaType type = part.headers().getContentType();
		String fileName = part.headers().getContentDisposition().getFilename();
		return DataBufferUtils.join(part.content())
			.defaultIfEmpty(DefaultDataBufferFactory.sharedInstance.wrap(new byte[0]))
			.map((buffer) -> {
				try (InputStream bytes = buffer.asInputStream(true)) {
					return RequestContent.Part.of(part.name(), fileName, text(type), bytes);
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			});
	}

	private static @Nullable String text(@Nullable MediaType type) {
		return (type != null) ? type.toString() : null;
	}

	private static @Nullable MediaType type(ServerWebExchange exchange) {
		try {
			return exchange.getRequest().getHeaders().getContentType();
		}
		catch (InvalidMediaTypeException ex) {
			return null;
		}
	}

	private static String method(ServerWebExchange exchange) {
		return exchange.getRequest().getMethod().name();
	}

	private static Map<String, List<String>> matrix(ServerWebExchange exchange) {
		return RequestPaths.matrix(exchange.getRequest().getPath().pathWithinApplication(), null);
	}

	private static Map<String, List<String>> parameters(ServerWebExchange exchange) {
		return new LinkedHashMap<>(exchange.getRequest().getQueryParams());
	}

	/** The body of a request, which is read for the second time. */
	private record Message(HttpHeaders headers, DataBuffer body) implements ReactiveHttpInputMessage {

		@Override
		public HttpHeaders getHeaders() {
			return this.headers;
		}

		@Override
		public Flux<DataBuffer> getBody() {
			return Flux.just(this.body);
		}

	}

}
