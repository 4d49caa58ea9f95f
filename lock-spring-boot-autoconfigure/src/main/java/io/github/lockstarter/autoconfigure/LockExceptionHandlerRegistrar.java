package io.github.lockstarter.autoconfigure;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;
import org.springframework.web.server.ResponseStatusException;

import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.PayloadMismatchException;

/**
 * Registers an advice for each exception that no advice of the application handles by
 * itself. One for all exceptions does not count, nor one for some controllers only.
 */
abstract class LockExceptionHandlerRegistrar implements ImportBeanDefinitionRegistrar {

	private final ConfigurableListableBeanFactory beanFactory;

	private final Map<Class<? extends LockException>, Class<?>> handlers;

	LockExceptionHandlerRegistrar(BeanFactory beanFactory, Class<?> ofConflict, Class<?> ofMissingKey,
			Class<?> ofPayloadMismatch, Class<?> ofLostLease, Class<?> ofStore) {
		this.beanFactory = (ConfigurableListableBeanFactory) beanFactory;
		this.handlers = Map.of(LockConflictException.class, ofConflict, MissingLockKeyException.class, ofMissingKey,
				PayloadMismatchException.class, ofPayloadMismatch, LeaseLostException.class, ofLostLease,
				LockStoreException.class, ofStore);
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
		List<ExceptionHandlerMethodResolver> advices = Arrays.stream(this.beanFactory.getBeanDefinitionNames())
			.map((name) -> this.beanFactory.getType(name, false))
			.filter((type) -> type != null && isForAllControllers(type))
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

	private static boolean handlesByItself(ExceptionHandlerMethodResolver advice, Class<? extends LockException> type) {
		Method method = advice.resolveMethodByExceptionType(type);
		return method != null && !method.equals(advice.resolveMethodByExceptionType(ResponseStatusException.class));
	}

}
