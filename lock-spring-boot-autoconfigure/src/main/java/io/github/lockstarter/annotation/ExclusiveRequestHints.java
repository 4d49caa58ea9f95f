package io.github.lockstarter.annotation;

import java.lang.reflect.Method;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.SimpleReflectiveProcessor;
import org.springframework.util.ReflectionUtils;

/**
 * Registers reflection hints for a native image: annotated methods, the properties of
 * their parameters that keys may read, and the results that may be shared. Without a
 * hint, an annotated method would run without its lock.
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
