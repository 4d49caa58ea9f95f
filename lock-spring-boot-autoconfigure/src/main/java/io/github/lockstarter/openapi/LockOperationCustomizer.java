package io.github.lockstarter.openapi;

import java.util.function.Supplier;

import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.BooleanSchema;
import io.swagger.v3.oas.models.responses.ApiResponses;
import org.springdoc.core.customizers.GlobalOperationCustomizer;

import org.springframework.web.method.HandlerMethod;

import io.github.lockstarter.operation.LockOperation;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.web.LockProblems;
import io.github.lockstarter.web.ReplayedHeader;

/**
 * Adds the effects of locks to the operations of annotated handlers: the responses if the
 * handler does not run, the header of a shared or replayed response, and the headers that
 * the keys read. Descriptions of the application are not changed.
 */
public final class LockOperationCustomizer implements GlobalOperationCustomizer {

	private final Supplier<LockOperationSource> operations;

	private final Supplier<LockProblems> problems;

	/**
	 * Creates the customizer.
	 * @param operations the operations of annotated methods
	 * @param problems creates the texts of the responses
	 */
	public LockOperationCustomizer(Supplier<LockOperationSource> operations, Supplier<LockProblems> problems) {
		this.operations = operations;
		this.problems = problems;
	}

	@Override
	public Operation customize(Operation operation, HandlerMethod handler) {
		LockedMethod locked = this.operations.get().find(handler.getMethod(), handler.getBeanType());
		if (locked == null) {
			return operation;
		}
		if (operation.getResponses() == null) {
			operation.setResponses(new ApiResponses());
		}
		if (locked.operations().stream().anyMatch(LockOperation::sharesResults)) {
			addReplayedHeader(operation.getResponses());
		}
		new ProblemResponses(this.problems.get()).of(locked).forEach(operation.getResponses()::putIfAbsent);
		HeaderParameters.addTo(operation, locked);
		return operation;
	}

	private static void addReplayedHeader(ApiResponses responses) {
		responses.forEach((status, response) -> {
			boolean described = response.getHeaders() != null && response.getHeaders().containsKey(ReplayedHeader.NAME);
			if (status.matches("[23].*") && response.get$ref() == null && !described) {
				response.addHeaderObject(ReplayedHeader.NAME,
						new Header()
							.description("Present if this is the response to another request with the same key.")
							.schema(new BooleanSchema()));
			}
		});
	}

}
