package io.github.lockstarter.web.openapi;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.parameters.HeaderParameter;
import io.swagger.v3.oas.models.parameters.Parameter;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springdoc.core.customizers.GlobalOperationCustomizer;

import org.springframework.web.method.HandlerMethod;

import io.github.lockstarter.key.IdempotencyKeyHeader;
import io.github.lockstarter.operation.LockOperation;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.result.Replay;
import io.github.lockstarter.web.ReplayedHeader;

/**
 * Describes the answers of the lock of an annotated handler, and the header that its key
 * reads. What the application describes itself stays as it is.
 */
public final class LockedOperationCustomizer implements GlobalOperationCustomizer, GlobalOpenApiCustomizer {

	private final Supplier<LockOperationSource> operations;

	/**
	 * Creates a customizer.
	 * @param operations the annotated methods
	 */
	public LockedOperationCustomizer(Supplier<LockOperationSource> operations) {
		this.operations = operations;
	}

	@Override
	public void customise(OpenAPI document) {
		ProblemSchema.addTo(document);
	}

	@Override
	public Operation customize(Operation described, HandlerMethod handler) {
		LockedMethod method = this.operations.get().find(handler.getMethod(), handler.getBeanType());
		if (method != null) {
			Map<Integer, List<LockProblem>> problems = new TreeMap<>();
			for (LockOperation operation : method.operations()) {
				LockProblem.of(operation).forEach((problem) -> {
					List<LockProblem> ofStatus = problems.computeIfAbsent(problem.status(),
							(each) -> new ArrayList<>());
					if (!ofStatus.contains(problem)) {
						ofStatus.add(problem);
					}
				});
			}
			describe(described, problems);
			method.operations().forEach((operation) -> describe(described, operation, method.idempotencyKey()));
		}
		return described;
	}

	private static void describe(Operation described, Map<Integer, List<LockProblem>> problems) {
		if (described.getResponses() == null) {
			described.responses(new ApiResponses());
		}
		problems.forEach((status, all) -> described.getResponses()
			.computeIfAbsent(Integer.toString(status),
					(each) -> ProblemSchema.response(
							all.stream().map(LockProblem::description).collect(Collectors.joining("\n")),
							all.stream().anyMatch(LockProblem::retryAfter))));
	}

	private static void describe(Operation described, LockOperation operation, IdempotencyKeyHeader header) {
		if (operation.readsHeader(IdempotencyKeyHeader.NAME)) {
			describeKey(described, operation, header);
		}
		if (operation.sharesResults()) {
			described.getResponses()
				.entrySet()
				.stream()
				.filter((response) -> response.getKey().matches("[23].*"))
				.forEach((response) -> describeReplayed(response.getValue()));
		}
	}

	private static void describeReplayed(ApiResponse response) {
		if (response.getHeaders() == null || !response.getHeaders().containsKey(ReplayedHeader.NAME)) {
			response.addHeaderObject(ReplayedHeader.NAME,
					new Header().description("The answer is that of another request with the same key.")
						.schema(new StringSchema().addEnumItem(ReplayedHeader.VALUE)));
		}
	}

	/** The handler may have a parameter for the header. */
	private static void describeKey(Operation described, LockOperation operation, IdempotencyKeyHeader header) {
		Parameter parameter = (described.getParameters() != null) ? described.getParameters()
			.stream()
			.filter((each) -> "header".equals(each.getIn())
					&& IdempotencyKeyHeader.NAME.equalsIgnoreCase(each.getName()))
			.findFirst()
			.orElse(null) : null;
		if (parameter == null) {
			parameter = new HeaderParameter().name(IdempotencyKeyHeader.NAME)
				.required(!operation.isConditional())
				.schema(new StringSchema());
			described.addParametersItem(parameter);
		}
		if (parameter.getDescription() == null) {
			parameter.description(description(operation.replay()));
		}
		if (parameter.getSchema() != null && parameter.getSchema().getMaxLength() == null) {
			parameter.getSchema().minLength(1).maxLength(header.maxLength());
		}
	}

	private static String description(@Nullable Replay replay) {
		String key = "Identifies the request: a string in double quotes, or a single word. ";
		return key + ((replay == null) ? "Only one request with the same key runs at a time."
				: "A repetition with the same key and content gets the answer of the first request, for %s. %s"
					.formatted(text(replay.keep()), replay.answers().description()));
	}

	private static String text(Duration duration) {
		long millis = duration.toMillis();
		return (millis % Duration.ofDays(1).toMillis() == 0) ? text(duration
			.toDays(), "day") : (millis % Duration.ofHours(1).toMillis() == 0) ? text(duration.toHours(), "hour")
					: (millis % Duration.ofMinutes(1).toMillis() == 0) ? text(duration.toMinutes(), "minute")
							: (millis % 1000 == 0) ? text(duration.toSeconds(), "second") : text(millis, "millisecond");
	}

	private static String text(long count, String unit) {
		return count + " " + unit + ((count == 1) ? "" : "s");
	}

}
