package io.github.lockstarter.web.reactive;

import java.util.function.BooleanSupplier;

import reactor.core.publisher.Mono;

import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;

/**
 * Records the answers to requests whose leases are held until the answer is known. It is
 * outside of all filters and exception handlers, because these may answer as well. If no
 * handler may keep answers, it does nothing.
 */
public final class AnswerRecorder implements HttpHandlerDecoratorFactory {

	private final BooleanSupplier keepsAnswers;

	/**
	 * Creates a recorder.
	 * @param keepsAnswers whether any handler may keep answers for later duplicates
	 */
	public AnswerRecorder(BooleanSupplier keepsAnswers) {
		this.keepsAnswers = keepsAnswers;
	}

	@Override
	public HttpHandler apply(HttpHandler handler) {
		return (request, response) -> {
			if (!this.keepsAnswers.getAsBoolean()) {
				return handler.handle(request, response);
			}
			RecordedResponse recorded = RecordedResponse.of(response);
			return Mono.from(handler.handle(request, recorded)).doFinally((signal) -> recorded.ended());
		};
	}

}
