package io.github.lockstarter.interceptor;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;

import io.github.lockstarter.operation.LockOperationValidator;

/**
 * Checks that a proxy exposes the annotated methods, with their locks.
 */
public final class InterfaceProxyCheck implements BeanPostProcessor {

	private final Supplier<LockOperationValidator> validator;

	/**
	 * Creates a check.
	 * @param validator fails for a bean whose proxy lacks a method
	 */
	public InterfaceProxyCheck(Supplier<LockOperationValidator> validator) {
		this.validator = validator;
	}

	/**
	 * Checks a bean.
	 * @throws io.github.lockstarter.LockConfigurationException if it has an annotated
	 * method that its proxy lacks, or calls without the lock
	 */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof Advised advised) {
			if (AopUtils.isJdkDynamicProxy(bean) && isLocked(advised)) {
				this.validator.get().checkProxy(AopUtils.getTargetClass(bean), advised.getProxiedInterfaces());
			}
			if (AopUtils.isAopProxy(bean)) {
				checkTarget(bean);
			}
		}
		return bean;
	}

	/**
	 * Checks the object that a proxy finally calls. It is not a bean, and has no lock of
	 * its own, if the application or a factory has made the proxy.
	 */
	private void checkTarget(Object proxy) {
		List<Class<?>> locked = new ArrayList<>();
		Object target = proxy;
		while (target instanceof Advised advised) {
			target = AopProxyUtils.getSingletonTarget(target);
			if (target != null && isLocked(advised)) {
				locked.add(target.getClass());
			}
		}
		if (target != null && !locked.contains(target.getClass())) {
			this.validator.get().checkTarget(target.getClass(), proxy.getClass(), locked);
		}
	}

	private static boolean isLocked(Advised proxy) {
		return Stream.of(proxy.getAdvisors())
			.anyMatch((advisor) -> advisor.getAdvice() instanceof ExclusiveRequestInterceptor);
	}

}
