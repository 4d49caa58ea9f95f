package io.github.lockstarter.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

import io.github.lockstarter.completion.CompletionAdapterRegistry;
import io.github.lockstarter.key.LockInvocation;
import io.github.lockstarter.result.ResultHead;

/**
 * What a native image needs: expressions read a {@link LockInvocation}, what is optional
 * is found by its name, results are written and read, and answers have their texts.
 */
class LockRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection().registerType(LockInvocation.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		CompletionAdapterRegistry.optionalTypes()
			.forEach((name) -> hints.reflection().registerTypeIfPresent(classLoader, name));
		new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), ResultHead.class);
		hints.resources().registerPattern("io/github/lockstarter/web/messages*.properties");
	}

}
