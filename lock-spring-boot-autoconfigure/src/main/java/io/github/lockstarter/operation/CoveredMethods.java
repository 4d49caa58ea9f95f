package io.github.lockstarter.operation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RequestMapping;

/**
 * Tells which methods of a class its annotation covers.
 */
final class CoveredMethods {

	private static final List<String> CONTAINER = List.of("org.springframework.beans.", "org.springframework.context.",
			"org.springframework.boot.");

	private static final List<String> FRAMEWORKS = List.of("java.", "javax.", "jakarta.", "org.springframework.");

	private CoveredMethods() {
	}

	/**
	 * Returns whether a class-level annotation covers the method. It covers methods of
	 * the application, except for implementations of callbacks of a framework, which lack
	 * the parameters that a key reads. Methods of a controller that are not handlers are
	 * excluded for the same reason.
	 */
	static boolean covers(Method method, Class<?> type) {
		return (method.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC)) == 0
				&& !ReflectionUtils.isObjectMethod(method) && !isFramework(method.getDeclaringClass(), type)
				&& !isCallback(method, type) && !isPartOfHandling(method);
	}

	/**
	 * Returns whether Spring MVC or Spring WebFlux calls the method before or after a
	 * handler.
	 */
	private static boolean isPartOfHandling(Method method) {
		return Stream.of(ExceptionHandler.class, InitBinder.class, ModelAttribute.class)
			.anyMatch((annotation) -> AnnotatedElementUtils.hasAnnotation(method, annotation))
				&& !AnnotatedElementUtils.hasAnnotation(method, RequestMapping.class);
	}

	private static boolean isCallback(Method method, Class<?> type) {
		Method written = AopUtils.getMostSpecificMethod(method, type);
		return Arrays.stream(ClassUtils.getAllInterfacesForClass(type))
			.filter((each) -> isFramework(each, type))
			.flatMap((each) -> Arrays.stream(each.getMethods()))
			.filter((callback) -> AopUtils.getMostSpecificMethod(callback, type).equals(written))
			.anyMatch((callback) -> isOfContainer(callback)
					|| Arrays.equals(callback.getParameterTypes(), written.getParameterTypes()));
	}

	/**
	 * Returns whether only the container calls the method. Methods whose parameter type
	 * the application chooses, as in a {@code Consumer<Order>}, are called by the
	 * application.
	 */
	private static boolean isOfContainer(Method callback) {
		return CONTAINER.stream().anyMatch(callback.getDeclaringClass().getName()::startsWith);
	}

	/**
	 * Returns whether a supertype of a bean class belongs to Java or to Spring. An
	 * application may have classes below {@code org.springframework}, too, like the
	 * samples of Spring: classes with the same next part of the package name belong to
	 * the application.
	 */
	static boolean isFramework(Class<?> type, Class<?> beanType) {
		return FRAMEWORKS.stream()
			.anyMatch((prefix) -> type.getName().startsWith(prefix)
					&& !project(type, prefix).equals(project(beanType, prefix)));
	}

	private static String project(Class<?> type, String prefix) {
		String name = type.getName();
		int end = name.indexOf('.', prefix.length());
		return name.startsWith(prefix) ? name.substring(0, (end != -1) ? end : name.length()) : "";
	}

}
