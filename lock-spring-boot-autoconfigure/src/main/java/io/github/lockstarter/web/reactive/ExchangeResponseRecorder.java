package io.github.lockstarter.web.reactive;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import reactor.core.publisher.Mono;

import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;

/**
 * Records the responses to requests whose leases are held until the response is known. It
 * is outside of all filters and exception handlers, because these may respond as well. If
 * no handler may keep responses, it does nothing.
 */
public final class ExchangeResponseRecorder implements HttpHandlerDecoratorFactory {

	private final BooleanSupplier keepsResponses;

	private final LongSupplier maxSize;

	private final LongSupplier maxRequestSize;

	/**
	 * Creates a recorder.
	 * @param keepsResponses whether any handler may keep responses for later duplicates
	 * @param maxSize the largest number of bytes that may be kept
	 * @param maxRequestSize the largest number of bytes of a request that is compared
	 */
	public ExchangeResponseRecorder(BooleanSupplier keepsResponses, LongSupplier maxSize, LongSupplier maxRequestSize) {
		this.keepsResponses = keepsResponses;
		this.maxSize = maxSize;
		this.maxRequestSize = maxRequestSize;
	}

	@Override
	public HttpHandler apply(HttpHandler handler) {
		return (request, response) -> {
			if (!this.keepsResponses.getAsBoolean()) {
				return handler.handle(request, response);
			}
			RecordedExchangeRequest recordedRequest = new RecordedExchangeRequest(request,
					this.maxRequestSize.getAsLong());
			RecordedExchangeResponse recorded = RecordedExchangeResponse.of(recordedRequest, response,
					this.maxSize.getAsLong());
			return Mono.from(handler.handle(recordedRequest, recorded)).doFinally((signal) -> recorded.ended());
		};
	}

}
