package io.github.lockstarter.web.graphql;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.graphql.data.method.annotation.BatchMapping;
import org.springframework.graphql.data.method.annotation.SchemaMapping;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;

/**
 * Checks that leases can be passed to the parameters of controller methods. Otherwise
 * each call would fail.
 */
public final class ControllerCheck {

	private final BiConsumer<Method, Class<?>> locked;

	/**
	 * Creates a check.
	 * @param locked checks that a method of a class is annotated if it has a parameter of
	 * type {@link Lease}
	 */
	public ControllerCheck(BiConsumer<Method, Class<?>> locked) {
		this.locked = locked;
	}

	/**
	 * Checks the methods of a controller.
	 * @throws LockConfigurationException if one is invalid
	 */
	public void check(Class<?> controller) {
		MethodIntrospector.selectMethods(controller, (MetadataLookup<Boolean>) ControllerCheck::isBatch)
			.forEach((method, batch) -> {
				if (batch && Arrays.asList(method.getParameterTypes()).contains(Lease.class)) {
					throw new LockConfigurationException(
							"%s has a parameter of type Lease, which Spring for GraphQL does not resolve for a @BatchMapping method."
								.formatted(method.toGenericString()),
							"Remove the parameter, or call an annotated method of another bean.");
				}
				this.locked.accept(method, controller);
			});
	}

	/**
	 * Returns whether the method loads a batch; {@code null} if it is not mapped.
	 */
	private static @Nullable Boolean isBatch(Method method) {
		if (AnnotatedElementUtils.hasAnnotation(method, BatchMapping.class)) {
			return true;
		}
		return AnnotatedElementUtils.hasAnnotation(method, SchemaMapping.class) ? false : null;
	}

}
