package io.github.lockstarter.autoconfigure;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

import io.github.lockstarter.InvalidIdempotencyKeyException;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.PayloadMismatchException;
import io.github.lockstarter.RequestTooLargeException;
import io.github.lockstarter.ResultUnavailableException;
import io.github.lockstarter.TooManyLockKeysException;

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

	/** In one order, so that builds that process ahead of time generate the same code. */
	private final Map<Class<? extends LockException>, Class<?>> handlers = new LinkedHashMap<>();

	LockExceptionHandlerRegistrar(BeanFactory beanFactory, Class<?> ofConflict, Class<?> ofMissingKey,
			Class<?> ofTooManyKeys, Class<?> ofInvalidIdempotencyKey, Class<?> ofPayloadMismatch,
			Class<?> ofTooLargeRequest, Class<?> ofResultUnavailable, Class<?> ofLostLease, Class<?> ofStore) {
		this.beanFactory = (ConfigurableListableBeanFactory) beanFactory;
		this.handlers.put(LockConflictException.class, ofConflict);
		this.handlers.put(MissingLockKeyException.class, ofMissingKey);
		this.handlers.put(TooManyLockKeysException.class, ofTooManyKeys);
		this.handlers.put(InvalidIdempotencyKeyException.class, ofInvalidIdempotencyKey);
		this.handlers.put(PayloadMismatchException.class, ofPayloadMismatch);
		this.handlers.put(RequestTooLargeException.class, ofTooLargeRequest);
		this.handlers.put(ResultUnavailableException.class, ofResultUnavailable);
		this.handlers.put(LeaseLostException.class, ofLostLease);
		this.handlers.put(LockStoreException.class, ofStore);
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
		List<ExceptionHandlerMethodResolver> advices = Arrays.stream(this.beanFactory.getBeanDefinitionNames())
			.map((name) -> this.beanFactory.getType(name, false))
			.filter((type) -> type != null && !isOfBoot(type) && isForAllControllers(type))
			.map(ExceptionHandlerMethodResolver::new)
			.toList();
		this.handlers.forEach((exception, handler) -> {
			if (advices.stream().noneMatch((advice) -> handlesByItself(advice, exception))) {
				registry.registerBeanDefinition(handler.getName(), new RootBeanDefinition(handler));
			}
		});
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
