package io.github.lockstarter.interceptor;

import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.LeaseContext;
import io.github.lockstarter.completion.ReturnType;
import io.github.lockstarter.completion.TransactionalResult;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.operation.LockedMethod;

/**
 * Stores a result for replay in the transaction of its method. The advisor has the lowest
 * precedence and is registered after the advisor of transactions. So it is called inside
 * of the transaction: after the method has returned, and before the commit.
 */
public final class ReplayTransactionAdvisor extends StaticMethodMatcherPointcutAdvisor {

	private static final Log logger = LogFactory.getLog(ReplayTransactionAdvisor.class);

	private final transient LockOperationSource operations;

	private volatile boolean reported;

	/**
	 * Creates the advisor.
	 * @param operations the operations of annotated methods
	 */
	public ReplayTransactionAdvisor(LockOperationSource operations) {
		this.operations = operations;
		setAdvice((org.aopalliance.intercept.MethodInterceptor) this::invoke);
		setClassFilter((type) -> !operations.of(type).isEmpty());
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		LockedMethod locked = this.operations.find(method, targetClass);
		return locked != null && locked.replays()
				&& (locked.returnType().isComplete() || isReactive(locked.returnType()));
	}

	private static boolean isReactive(ReturnType type) {
		return type.isReactive() || type.isSuspending();
	}

	private @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object result = invocation.proceed();
		LockedMethod locked = this.operations.find(invocation.getMethod(), targetClass(invocation));
		if (result != null && locked != null && isReactive(locked.returnType())) {
			return ReactiveReplayTransactions.kept(result, locked, () -> report(invocation.getMethod()));
		}
		HeldLeases leases = LeaseContext.innermost();
		if (leases != null && leases.result().mayKeep()
				&& TransactionSynchronizationManager.isActualTransactionActive()) {
			keep(result, leases, invocation.getMethod());
		}
		return result;
	}

	private static Class<?> targetClass(MethodInvocation invocation) {
		Object target = invocation.getThis();
		return (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
	}

	/** A transaction that other code began does not end with the method. */
	private void keep(@Nullable Object result, HeldLeases leases, Method method) {
		if (status() instanceof DefaultTransactionStatus status) {
			TransactionalResult.keep(result, leases, status);
		}
		else if (leases.result().mayKeepInTransaction()) {
			report(method);
		}
	}

	private static @Nullable TransactionStatus status() {
		try {
			return TransactionAspectSupport.currentTransactionStatus();
		}
		catch (NoTransactionException ex) {
			return null;
		}
	}

	private void report(Method method) {
		if (!this.reported) {
			this.reported = true;
			logger.warn(("The transaction of %s was not begun by advice around it, so the result is not stored in it,"
					+ " and a duplicate repeats the work if the instance crashes after the commit")
				.formatted(method.toGenericString()));
		}
	}

}
