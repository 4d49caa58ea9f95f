package io.github.lockstarter.operation;

import java.io.OutputStream;
import java.io.Writer;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;

import org.springframework.http.HttpEntity;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.completion.CompletionAdapter;
import io.github.lockstarter.completion.CompletionAdapterRegistry;
import io.github.lockstarter.completion.ReactiveTypeAdapter;
import io.github.lockstarter.completion.ReturnType;
import io.github.lockstarter.result.ResultType;

/**
 * Determines the type of the value with which the work of an annotated method ends, for
 * sharing.
 */
final class ResultTypes {

	/** Parameters with which a method writes its result itself. */
	private static final List<Class<?>> WRITERS = List.of(OutputStream.class, Writer.class);

	private ResultTypes() {
	}

	/**
	 * Returns the type.
	 * @throws LockConfigurationException if values of that type cannot be shared
	 */
	static ResultType of(LockedMethod locked) {
		Method method = locked.method();
		ResultType result = ofWork(locked.returnType());
		Class<?> value = result.type().toClass();
		boolean entity = HttpEntity.class.isAssignableFrom(value);
		Class<?> body = entity ? result.type().as(HttpEntity.class).getGeneric().toClass() : value;
		if (CompletionAdapterRegistry.find(body) != null || (entity && result.many())) {
			throw unsupported(method,
					"a %s inside of another result can be read only once".formatted(body.getSimpleName()));
		}
		if (locked.isMapped()) {
			return new ResultType(result.owner(), result.type(), result.many(), true, entity || locked.writesBody());
		}
		if (Arrays.stream(method.getParameterTypes()).anyMatch(WRITERS::contains)) {
			throw unsupported(method, "it writes its result itself");
		}
		return result;
	}

	private static ResultType ofWork(ReturnType returned) {
		CompletionAdapter adapter = CompletionAdapterRegistry.find(returned.declared());
		if (adapter == null) {
			return new ResultType(returned.owner(), returned.resolvable(), false);
		}
		if (returned.isReplaceableStage()) {
			return new ResultType(returned.owner(), returned.resolvable().as(CompletionStage.class).getGeneric(),
					false);
		}
		if (adapter.isReactive()) {
			return ReactiveTypeAdapter.resultType(returned.owner(), returned.resolvable());
		}
		throw unsupported(returned.method(),
				"a %s can be read only once".formatted(returned.declared().getSimpleName()));
	}

	private static LockConfigurationException unsupported(Method method, String reason) {
		return new LockConfigurationException(
				"@ExclusiveRequest on %s cannot share or replay what the method returns: %s."
					.formatted(method.toGenericString(), reason),
				"Return a value or a ResponseEntity, also in a CompletableFuture or Mono, or a Flux of values.");
	}

}
