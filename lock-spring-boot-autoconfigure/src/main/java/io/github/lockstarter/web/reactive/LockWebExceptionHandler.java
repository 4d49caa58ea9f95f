package io.github.lockstarter.web.reactive;

import java.util.List;

import reactor.core.publisher.Mono;

import org.springframework.core.annotation.Order;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.reactive.DispatchExceptionHandler;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;

import io.github.lockstarter.LockException;
import io.github.lockstarter.operation.ConflictStatuses;

/**
 * Responds to lock exceptions from outside of controllers, for example from a filter,
 * with the controller advice, including the application's own. An exception that no
 * advice handles leads to the application's error page, with the headers of the
 * exception. This handler comes before Spring Boot's error handler, which has order -1.
 */
@Order(LockWebExceptionHandler.BEFORE_SPRING_BOOT)
public final class LockWebExceptionHandler implements WebExceptionHandler {

	static final int BEFORE_SPRING_BOOT = -2;

	private final List<DispatchExceptionHandler> advices;

	private final List<HandlerResultHandler> results;

	private final ConflictStatuses statuses;

	/**
	 * Creates a handler.
	 * @param advices call the controller advice
	 * @param results write the responses of the advice
	 * @param statuses the statuses of conflicts without a status of their own
	 */
	public LockWebExceptionHandler(List<DispatchExceptionHandler> advices, List<HandlerResultHandler> results,
			ConflictStatuses statuses) {
		this.advices = advices;
		this.results = results;
		this.statuses = statuses;
	}

	@Override
	public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
		if (!(failure instanceof LockException thrown) || exchange.getResponse().isCommitted()) {
			return Mono.error(failure);
		}
		LockException exception = this.statuses.withStatus(thrown);
		return askAdvices(exchange, exception).flatMap((result) -> write(exchange, result))
			.doOnError((unhandled) -> addHeadersTo(exchange.getResponse(), exception));
	}

	private Mono<HandlerResult> askAdvices(ServerWebExchange exchange, LockException exception) {
		Mono<HandlerResult> result = Mono.error(exception);
		for (DispatchExceptionHandler each : this.advices) {
			result = result.onErrorResume((unhandled) -> each.handleError(exchange, unhandled));
		}
		return result;
	}

	private Mono<Void> write(ServerWebExchange exchange, HandlerResult result) {
		return this.results.stream()
			.filter((each) -> each.supports(result))
			.findFirst()
			.map((each) -> each.handleResult(exchange, result))
			.orElseGet(() -> Mono.error(new IllegalStateException("Nothing writes " + result.getReturnValue())));
	}

	/**
	 * Added late, because Spring's own handler, which responds if Spring Boot's does not,
	 * would add them again.
	 */
	private static void addHeadersTo(ServerHttpResponse response, LockException exception) {
		response.beforeCommit(
				() -> Mono.fromRunnable(() -> exception.getHeaders().forEach(response.getHeaders()::putIfAbsent)));
	}

}
