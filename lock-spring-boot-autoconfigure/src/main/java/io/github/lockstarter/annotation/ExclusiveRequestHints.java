package io.github.lockstarter.annotation;

import java.lang.reflect.Method;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.SimpleReflectiveProcessor;
import org.springframework.util.ReflectionUtils;

/**
 * Keeps annotated methods, what keys may read of their parameters, and what may be shared
 * of their results, visible in a native image. A method that is not is taken for one
 * without the annotation.
 */
class ExclusiveRequestHints extends SimpleReflectiveProcessor {

	private final BindingReflectionHintsRegistrar properties = new BindingReflectionHintsRegistrar();

	@Override
	protected void registerTypeHint(ReflectionHints hints, Class<?> type) {
		super.registerTypeHint(hints, type);
		ReflectionUtils.doWithMethods(type, (method) -> registerMethodHint(hints, method),
				ReflectionUtils.USER_DECLARED_METHODS);
	}

	@Override
	protected void registerMethodHint(ReflectionHints hints, Method method) {
		super.registerMethodHint(hints, method);
		this.properties.registerReflectionHints(hints, method.getGenericParameterTypes());
		this.properties.registerReflectionHints(hints, method.getGenericReturnType());
	}

}
