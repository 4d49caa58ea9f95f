package io.github.lockstarter.interceptor;

import java.util.function.Supplier;
import java.util.stream.Stream;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;

import io.github.lockstarter.operation.LockOperationValidator;

/**
 * Checks that a proxy exposes the annotated methods.
 */
public final class InterfaceProxyCheck implements BeanPostProcessor {

	private final Supplier<LockOperationValidator> validator;

	/**
	 * Creates a check.
	 * @param validator refuses a bean whose proxy lacks a method
	 */
	public InterfaceProxyCheck(Supplier<LockOperationValidator> validator) {
		this.validator = validator;
	}

	/**
	 * Checks a bean.
	 * @throws io.github.lockstarter.LockConfigurationException if it has an annotated
	 * method that its proxy lacks
	 */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (AopUtils.isJdkDynamicProxy(bean) && bean instanceof Advised advised
				&& Stream.of(advised.getAdvisors()).anyMatch(ExclusiveRequestAdvisor.class::isInstance)) {
			this.validator.get().checkProxy(AopUtils.getTargetClass(bean), advised.getProxiedInterfaces());
		}
		return bean;
	}

}
