package io.github.lockstarter.aop;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Lets expressions read a {@link Call} in a native image, and the servlet API be found by
 * its name.
 */
class CallHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection()
			.registerType(Call.class, MemberCategory.INVOKE_PUBLIC_METHODS)
			.registerTypeIfPresent(classLoader, "jakarta.servlet.http.HttpServletRequest");
	}

}
