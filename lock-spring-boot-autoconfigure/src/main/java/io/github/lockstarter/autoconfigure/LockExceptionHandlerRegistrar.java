package io.github.lockstarter.autoconfigure;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.NestedRuntimeException;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;

import io.github.lockstarter.LockException;

/**
 * Registers an advice for each lock exception that no advice of the application handles.
 * A handler counts if it is for the type of the exception, for
 * {@link org.springframework.web.server.ResponseStatusException} or for
 * {@link org.springframework.web.ErrorResponseException}, as in a
 * {@code ResponseEntityExceptionHandler}. A handler for {@link Exception}, and an advice
 * for only some controllers, do not count.
 */
abstract class LockExceptionHandlerRegistrar implements ImportBeanDefinitionRegistrar {

	private final ConfigurableListableBeanFactory beanFactory;

	private final List<Class<?>> handlers;

	LockExceptionHandlerRegistrar(BeanFactory beanFactory, List<Class<?>> handlers) {
		this.beanFactory = (ConfigurableListableBeanFactory) beanFactory;
		this.handlers = handlers;
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
		List<ExceptionHandlerMethodResolver> advices = Arrays.stream(this.beanFactory.getBeanDefinitionNames())
			.map((name) -> this.beanFactory.getType(name, false))
			.filter((type) -> type != null && !isOfBoot(type) && isForAllControllers(type))
			.map(ExceptionHandlerMethodResolver::new)
			.toList();
		this.handlers.forEach((handler) -> {
			Class<? extends LockException> exception = exception(handler);
			if (advices.stream().noneMatch((advice) -> handlesByItself(advice, exception))) {
				registry.registerBeanDefinition(handler.getName(), new RootBeanDefinition(handler));
			}
		});
	}

	/** Returns the exception that an advice of this library handles. */
	private static Class<? extends LockException> exception(Class<?> handler) {
		return Stream.of(handler.getDeclaredMethods())
			.filter((method) -> method.isAnnotationPresent(ExceptionHandler.class))
			.findFirst()
			.orElseThrow()
			.getParameterTypes()[0].asSubclass(LockException.class);
	}

	private static boolean isForAllControllers(Class<?> type) {
		ControllerAdvice advice = AnnotatedElementUtils.findMergedAnnotation(type, ControllerAdvice.class);
		return advice != null && advice.basePackages().length + advice.basePackageClasses().length
				+ advice.assignableTypes().length + advice.annotations().length == 0;
	}

	/**
	 * Returns whether the type belongs to Spring Boot, whose
	 * {@code ResponseEntityExceptionHandler} comes after the advice of this library.
	 */
	private static boolean isOfBoot(Class<?> type) {
		return type.getName().startsWith("org.springframework.boot.");
	}

	private static boolean handlesByItself(ExceptionHandlerMethodResolver advice, Class<? extends LockException> type) {
		Method method = advice.resolveMethodByExceptionType(type);
		return method != null && handled(method)
			.anyMatch((each) -> each.isAssignableFrom(type) && !each.isAssignableFrom(NestedRuntimeException.class));
	}

	private static Stream<Class<?>> handled(Method method) {
		ExceptionHandler annotation = AnnotatedElementUtils.findMergedAnnotation(method, ExceptionHandler.class);
		return (annotation != null && annotation.exception().length > 0) ? Stream.of(annotation.exception())
				: Stream.of(method.getParameterTypes());
	}

}
