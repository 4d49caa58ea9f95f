package io.github.lockstarter.web.grpc;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.function.Function;

import io.grpc.BindableService;
import io.grpc.stub.StreamObserver;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.util.ReflectionUtils;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.operation.LockedMethod;

/**
 * Checks that annotated methods of gRPC services run with their locks, and that their
 * clients do not wait for a response for ever.
 */
public final class GrpcServiceCheck implements BeanPostProcessor {

	private final Function<Class<?>, Collection<LockedMethod>> operations;

	/**
	 * Creates a check.
	 * @param operations returns the annotated methods of a class
	 */
	public GrpcServiceCheck(Function<Class<?>, Collection<LockedMethod>> operations) {
		this.operations = operations;
	}

	/**
	 * Checks a bean, if it is a service.
	 * @throws LockConfigurationException if it is invalid
	 */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof BindableService service) {
			check(service);
		}
		return bean;
	}

	private void check(BindableService service) {
		Class<?> type = AopUtils.getTargetClass(service);
		Collection<LockedMethod> methods = this.operations.apply(type);
		methods.forEach(GrpcServiceCheck::checkResponse);
		if (!methods.isEmpty() && AopUtils.isAopProxy(service)) {
			checkBinding(service, type);
		}
	}

	/**
	 * A method that is skipped, or whose result another call has, does not run, so that
	 * nothing is sent to the observer of its response.
	 */
	private static void checkResponse(LockedMethod method) {
		if (Arrays.asList(method.method().getParameterTypes()).contains(StreamObserver.class) && method.operations()
			.stream()
			.anyMatch((operation) -> operation.skips() || operation.sharesResults())) {
			throw new LockConfigurationException(
					"SKIP, SHARE or replay on %s: a call that does not run the method would leave the client without a response."
						.formatted(method.method().toGenericString()),
					"Use REJECT or WAIT, or annotate a method of another bean, which returns what the service responds.");
		}
	}

	/**
	 * A proxy passes a call of {@code bindService()} on to its target, and the target
	 * binds its own methods. In generated services that method is final, which no proxy
	 * passes on: it binds the methods of the proxy.
	 */
	private static void checkBinding(BindableService service, Class<?> type) {
		Method bind = ReflectionUtils.findMethod(type, "bindService");
		if (AopUtils.isJdkDynamicProxy(service) || bind == null || !Modifier.isFinal(bind.getModifiers())) {
			throw new LockConfigurationException(
					"The gRPC service %s has methods with @ExclusiveRequest, but its bindService() binds them without the proxy that acquires their locks."
						.formatted(type.getName()),
					"Declare bindService() final, as it is in generated code, or annotate a method of another bean, which the service calls.");
		}
	}

}
