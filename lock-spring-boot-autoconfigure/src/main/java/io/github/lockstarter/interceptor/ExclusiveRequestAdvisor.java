package io.github.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.operation.LockedMethod;

/**
 * Applies the locks of methods annotated with {@link ExclusiveRequest}. By default it is
 * ordered just outside of transactions and caches, so that a lock is held until the
 * transaction has ended. It is inside of security, so that a caller without access to a
 * method does not acquire its lock.
 */
public final class ExclusiveRequestAdvisor extends StaticMethodMatcherPointcutAdvisor {

	/**
	 * The default order: just outside of transactions and caches, which have the lowest
	 * precedence by default.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

	private final transient LockOperationSource operations;

	private final transient IntSupplier order;

	/**
	 * Creates the advisor. An advisor is created before most other beans, so other beans
	 * are looked up only when the first annotated method is found.
	 * @param operations the operations of annotated methods
	 * @param interceptor the advice
	 * @param order the order among other advisors
	 */
	public ExclusiveRequestAdvisor(LockOperationSource operations, ExclusiveRequestInterceptor interceptor,
			IntSupplier order) {
		super(interceptor);
		this.operations = operations;
		this.order = order;
		setClassFilter((type) -> !operations.of(type).isEmpty());
	}

	@Override
	public int getOrder() {
		return this.order.getAsInt();
	}

	/**
	 * Returns whether a bean is a proxy that acquires the locks of the method before any
	 * other advice for it is called.
	 */
	public static boolean isOutermost(Object bean, LockedMethod method) {
		return bean instanceof Advised advised && Stream.of(advised.getAdvisors())
			.filter((advisor) -> advisor != ExposeInvocationInterceptor.ADVISOR && applies(advisor, method))
			.findFirst()
			.filter(ExclusiveRequestAdvisor.class::isInstance)
			.isPresent();
	}

	private static boolean applies(Advisor advisor, LockedMethod method) {
		return !(advisor instanceof PointcutAdvisor selective)
				|| (selective.getPointcut().getClassFilter().matches(method.type())
						&& selective.getPointcut().getMethodMatcher().matches(method.method(), method.type()));
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.operations.find(method, targetClass) != null;
	}

}
