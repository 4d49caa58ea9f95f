package io.github.lockstarter.aop;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Lets expressions read a {@link Call} in a native image, and what is optional be found
 * by its name.
 */
class CallHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection().registerType(Call.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		Stream.of(Present.NAMES, ServletWork.TASKS, ServletWork.DEFERRED)
			.flatMap(List::stream)
			.forEach((name) -> hints.reflection().registerTypeIfPresent(classLoader, name));
	}

}
