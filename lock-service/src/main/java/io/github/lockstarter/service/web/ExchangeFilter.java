package io.github.lockstarter.service.web;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * Applies common rules to every request. Ambiguous names are rejected. A request is
 * processed after it has been received completely, so that an incomplete one has no
 * effect. Responses are not cached. An acquired lock is released if the response cannot
 * be delivered.
 */
@Component
class ExchangeFilter implements WebFilter {

	private static final String IF_UNDELIVERED = ExchangeFilter.class.getName() + ".ifUndelivered";

	private static final long MAX_BODY = 1 << 16;

	private static final Duration BODY_TIMEOUT = Duration.ofSeconds(10);

	private final ProblemBodies problems;

	ExchangeFilter(ProblemBodies problems) {
		this.problems = problems;
	}

	/**
	 * Registers an action to run if the client disconnects before the complete response
	 * is written.
	 */
	static void ifUndelivered(ServerWebExchange exchange, Runnable action) {
		exchange.getAttributes().put(IF_UNDELIVERED, action);
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		exchange.getResponse().getHeaders().setCacheControl(CacheControl.noStore());
		ServerHttpRequest request = exchange.getRequest();
		if (isAmbiguous(request.getURI())) {
			return reject(exchange, HttpStatus.BAD_REQUEST,
					"The path is not valid: percent-encode the name of a lock, ';' included.");
		}
		Mono<Void> handled = chain.filter(exchange)
			.doOnCancel(() -> undelivered(exchange))
			.doOnError((failure) -> undelivered(exchange));
		return hasBody(request)
				? readAll(request.getBody()).then(Mono.just(HttpStatus.OK))
					.timeout(BODY_TIMEOUT)
					.onErrorResume((failure) -> Mono.just(rejection(failure)))
					.flatMap((status) -> (status == HttpStatus.OK) ? handled
							: reject(exchange, status,
									(status == HttpStatus.REQUEST_TIMEOUT)
											? "The body was not received, or not within %d s."
												.formatted(BODY_TIMEOUT.toSeconds())
											: "The body is too long."))
				: handled;
	}

	/**
	 * Returns whether the path is ambiguous: the text after a ';' would be dropped from
	 * the name, and bytes that are not percent-encoded would be read as other characters.
	 */
	private static boolean isAmbiguous(URI uri) {
		return uri.getRawPath().indexOf(';') >= 0 || !StandardCharsets.US_ASCII.newEncoder().canEncode(uri.toString());
	}

	/** Reads the complete body and discards it: no request uses one. */
	private static Flux<DataBuffer> readAll(Flux<DataBuffer> body) {
		AtomicLong bytes = new AtomicLong();
		return body.doOnNext((buffer) -> {
			bytes.addAndGet(buffer.readableByteCount());
			DataBufferUtils.release(buffer);
			if (bytes.get() > MAX_BODY) {
				throw new DataBufferLimitException("longer than any body needs to be");
			}
		});
	}

	private static HttpStatus rejection(Throwable failure) {
		return (failure instanceof DataBufferLimitException) ? HttpStatus.CONTENT_TOO_LARGE
				: HttpStatus.REQUEST_TIMEOUT;
	}

	private static boolean hasBody(ServerHttpRequest request) {
		return request.getHeaders().getContentLength() > 0 || request.getHeaders().containsHeader("Transfer-Encoding");
	}

	private Mono<Void> reject(ServerWebExchange exchange, HttpStatus status, String detail) {
		ServerHttpResponse response = exchange.getResponse();
		response.setStatusCode(status);
		response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
		response.getHeaders().setConnection("close");
		byte[] body = this.problems.invalid(status, detail);
		return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(body))).onErrorComplete();
	}

	private static void undelivered(ServerWebExchange exchange) {
		if (exchange.getAttributes().remove(IF_UNDELIVERED) instanceof Runnable action) {
			action.run();
		}
	}

}
