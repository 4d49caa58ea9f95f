package io.github.lockstarter.openapi;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.parameters.Parameter;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

import io.github.lockstarter.key.IdempotencyKeyHeader;
import io.github.lockstarter.key.MethodExpression;
import io.github.lockstarter.operation.LockOperation;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.result.ReplayRetention;

/**
 * The headers that the expressions of locks read, as parameters of the operation.
 */
final class HeaderParameters {

	private static final String HEADER = "header";

	/** OpenAPI describes these elsewhere, and ignores them as parameters. */
	private static final List<String> NO_PARAMETERS = List.of(HttpHeaders.ACCEPT, HttpHeaders.CONTENT_TYPE,
			HttpHeaders.AUTHORIZATION);

	private static final List<ChronoUnit> UNITS = List.of(ChronoUnit.HOURS, ChronoUnit.MINUTES, ChronoUnit.SECONDS,
			ChronoUnit.MILLIS);

	private HeaderParameters() {
	}

	/** Returns whether the key of a call is, or depends on, an idempotency key. */
	static boolean readsIdempotencyKey(LockOperation operation) {
		return read(operation).containsKey(IdempotencyKeyHeader.NAME);
	}

	/** Adds the parameters to the operation, or completes those that it has. */
	static void addTo(Operation operation, LockedMethod method) {
		method.operations().forEach((lock) -> {
			read(lock).forEach((name, required) -> {
				if (NO_PARAMETERS.stream().noneMatch(name::equalsIgnoreCase)) {
					Parameter parameter = find(operation, name).orElseGet(() -> add(operation, name));
					parameter.setRequired(required || Boolean.TRUE.equals(parameter.getRequired()));
				}
			});
			find(operation, IdempotencyKeyHeader.NAME).ifPresent((parameter) -> {
				if (readsIdempotencyKey(lock)) {
					limit(parameter, method.idempotencyKey().maxLength());
				}
				if (parameter.getDescription() == null && (readsIdempotencyKey(lock) || lock.replay() != null)) {
					parameter.setDescription(description(lock.replay()));
				}
			});
		});
	}

	/**
	 * Returns the headers that are read, each with a flag whether it is required. With a
	 * condition no header is required, because a call without the lock needs no key.
	 */
	private static Map<String, Boolean> read(LockOperation operation) {
		Map<String, Boolean> read = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		Stream.ofNullable(operation.condition()).map(MethodExpression::headers).forEach(read::putAll);
		read.putAll(operation.keys().headers());
		if (operation.condition() != null) {
			read.replaceAll((name, required) -> false);
		}
		return read;
	}

	private static Optional<Parameter> find(Operation operation, String name) {
		return Stream.ofNullable(operation.getParameters())
			.flatMap(List::stream)
			.filter((each) -> HEADER.equals(each.getIn()) && name.equalsIgnoreCase(each.getName()))
			.findFirst();
	}

	private static Parameter add(Operation operation, String name) {
		Parameter added = new Parameter().in(HEADER).name(name).schema(new StringSchema());
		operation.addParametersItem(added);
		return added;
	}

	private static void limit(Parameter parameter, int maxLength) {
		if (parameter.getSchema() != null && parameter.getSchema().getMaxLength() == null) {
			parameter.getSchema().minLength(1).maxLength(maxLength);
		}
	}

	private static String description(@Nullable ReplayRetention replay) {
		String use = "A random key that the client generates for each request, and sends again when it repeats the request.";
		return (replay != null)
				? "%s It expires after %s: until then, a request with the same key receives the response to the first. %s"
					.formatted(use, text(replay.keep()), replay.responses().description())
				: use;
	}

	private static String text(Duration time) {
		ChronoUnit unit = UNITS.stream()
			.filter((each) -> time.toMillis() % each.getDuration().toMillis() == 0)
			.findFirst()
			.orElse(ChronoUnit.MILLIS);
		long amount = time.toMillis() / unit.getDuration().toMillis();
		String name = unit.name().toLowerCase(Locale.ROOT);
		return amount + " " + ((unit == ChronoUnit.MILLIS) ? "milliseconds"
				: (amount == 1) ? name.substring(0, name.length() - 1) : name);
	}

}
