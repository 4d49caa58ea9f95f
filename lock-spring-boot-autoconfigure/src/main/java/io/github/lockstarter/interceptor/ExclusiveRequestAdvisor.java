package io.github.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.function.IntSupplier;

import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.operation.LockOperationSource;

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
	 * are requested only when the first annotated method is found.
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

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.operations.find(method, targetClass) != null;
	}

}
