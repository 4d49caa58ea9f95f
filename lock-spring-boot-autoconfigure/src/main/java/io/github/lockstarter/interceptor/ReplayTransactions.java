package io.github.lockstarter.interceptor;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.github.lockstarter.completion.HeldLeases;

/**
 * Keeps a result that is to be replayed in the transaction of the method that it is from.
 * The transaction of a {@code @Transactional} method ends inside the advice of the lock,
 * before its result is known there. So the same transaction is begun around it, by the
 * advice of the application's transactions, and the method's own takes part in that.
 */
public final class ReplayTransactions implements TransactionSupport {

	private final Supplier<@Nullable TransactionInterceptor> transactions;

	/**
	 * Creates the transactions.
	 * @param transactions the advice of the application's transactions, if there is one
	 */
	public ReplayTransactions(Supplier<@Nullable TransactionInterceptor> transactions) {
		this.transactions = transactions;
	}

	@Override
	public @Nullable Object proceed(MethodInvocation call, HeldLeases leases) throws Throwable {
		TransactionInterceptor advice = leases.mayKeepInTransaction() ? this.transactions.get() : null;
		return (advice != null && isNext(advice, call) && beginsTransaction(advice, call))
				? advice.invoke(new KeepingCall(call, leases)) : call.proceed();
	}

	/** Advice in between might call the method twice, each time in a new transaction. */
	private static boolean isNext(TransactionInterceptor advice, MethodInvocation call) {
		return call instanceof ProxyMethodInvocation ofProxy && ofProxy.getProxy() instanceof Advised advised
				&& Stream.of(advised.getAdvisors())
					.dropWhile((advisor) -> !(advisor instanceof ExclusiveRequestAdvisor))
					.skip(1)
					.findFirst()
					.filter((advisor) -> advisor.getAdvice() == advice)
					.isPresent();
	}

	/** A transaction that is open already ends after the lock. */
	private static boolean beginsTransaction(TransactionInterceptor advice, MethodInvocation call) {
		TransactionAttributeSource source = advice.getTransactionAttributeSource();
		Object target = call.getThis();
		if (source == null || target == null || TransactionSynchronizationManager.isActualTransactionActive()) {
			return false;
		}
		TransactionAttribute attribute = source.getTransactionAttribute(call.getMethod(),
				AopUtils.getTargetClass(target));
		return attribute != null && attribute.getPropagationBehavior() == TransactionDefinition.PROPAGATION_REQUIRED
				&& !attribute.isReadOnly();
	}

	/** A call whose result is kept at its end. */
	private record KeepingCall(MethodInvocation call, HeldLeases leases) implements MethodInvocation {

		@Override
		public @Nullable Object proceed() throws Throwable {
			Object result = this.call.proceed();
			TransactionStatus transaction = TransactionAspectSupport.currentTransactionStatus();
			if (transaction.isRollbackOnly()) {
				// The method wants no exception.
				transaction.setRollbackOnly();
			}
			else {
				this.leases.keepInTransaction(result);
			}
			return result;
		}

		@Override
		public Method getMethod() {
			return this.call.getMethod();
		}

		@Override
		public @Nullable Object[] getArguments() {
			return this.call.getArguments();
		}

		@Override
		public @Nullable Object getThis() {
			return this.call.getThis();
		}

		@Override
		public AccessibleObject getStaticPart() {
			return this.call.getStaticPart();
		}

	}

}
