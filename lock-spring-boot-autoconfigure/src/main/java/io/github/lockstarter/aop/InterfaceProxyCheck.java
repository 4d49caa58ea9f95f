package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * Refuses a bean whose proxy has only the methods of interfaces, if an annotated one is
 * not among them: whoever calls that could do so only past the proxy, without the lock.
 */
public final class InterfaceProxyCheck implements BeanPostProcessor {

	/**
	 * Checks a bean.
	 * @throws LockConfigurationException if it has an annotated method that its proxy has
	 * not
	 */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (AopUtils.isJdkDynamicProxy(bean) && bean instanceof Advised advised) {
			Stream.of(advised.getAdvisors())
				.filter(ExclusiveRequestAdvisor.class::isInstance)
				.map(ExclusiveRequestAdvisor.class::cast)
				.forEach((advisor) -> check(advised, AopUtils.getTargetClass(bean), advisor));
		}
		return bean;
	}

	/** What a class-level annotation covers besides is nobody's to call. */
	private static void check(Advised proxy, Class<?> type, ExclusiveRequestAdvisor advisor) {
		Set<Method> callable = Stream.of(proxy.getProxiedInterfaces())
			.flatMap((each) -> Stream.of(each.getMethods()))
			.flatMap((method) -> Stream.of(method, AopUtils.getMostSpecificMethod(method, type)))
			.collect(Collectors.toSet());
		advisor.methods(type)
			.stream()
			.filter((method) -> !callable.contains(method))
			.filter((method) -> MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
				.isPresent(ExclusiveRequest.class))
			.findFirst()
			.ifPresent((method) -> {
				throw new LockConfigurationException(
						"@ExclusiveRequest on %s, which none of the interfaces %s has: the proxy has only their methods, so that nobody can call this one under a lock."
							.formatted(method.toGenericString(),
									Arrays.stream(proxy.getProxiedInterfaces()).map(Class::getName).toList()),
						"Add the method to an interface, or let proxies extend classes (spring.aop.proxy-target-class=true).");
			});
	}

}
