package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Objects;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;

/**
 * Runs an annotated method while it holds the lock that the call asks for.
 */
final class ExclusiveRequestInterceptor implements MethodInterceptor {

	private final ExclusiveRequestSpecs specs;

	private final Supplier<LockRegistry> registry;

	ExclusiveRequestInterceptor(ExclusiveRequestSpecs specs, Supplier<LockRegistry> registry) {
		this.specs = specs;
		this.registry = registry;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Class<?> type = AopUtils.getTargetClass(Objects.requireNonNull(invocation.getThis()));
		Method method = AopUtils.getMostSpecificMethod(invocation.getMethod(), type);
		ExclusiveRequestSpec spec = this.specs.find(invocation.getMethod(), type);
		Call call = new Call(method, invocation.getArguments());
		if (spec == null || !spec.appliesTo(call)) {
			return invocation.proceed();
		}
		Lease lease = this.registry.get().acquire(spec.lockKey(call), spec.options());
		CurrentLeases.push(lease);
		try {
			fillIn(lease, method, invocation.getArguments());
			Object result = invocation.proceed();
			UnsupportedReturnTypes.refuse(method, result);
			return result;
		}
		finally {
			CurrentLeases.pop();
			lease.close();
		}
	}

	/** A lease that the caller passes on is left as it is. */
	private static void fillIn(Lease lease, Method method, @Nullable Object[] args) {
		Class<?>[] types = method.getParameterTypes();
		for (int i = 0; i < types.length; i++) {
			if (types[i] == Lease.class && args[i] == null) {
				args[i] = lease;
			}
		}
	}

}
