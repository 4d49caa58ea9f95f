package io.github.lockstarter.web.servlet;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.SessionAttributes;
import org.springframework.web.method.HandlerMethod;

import io.github.lockstarter.interceptor.LockedCall;
import io.github.lockstarter.operation.LockedMethod;

/**
 * The handlers that can return {@code null} for a refused request. Spring MVC does
 * nothing more for the request if their model is marked as handled, and their proxies do
 * nothing outside of the lock.
 */
final class NullableHandlers {

	private static final Object NONE = new Object();

	/** The proxy of the controller by method, cached for singletons only. */
	private final Map<LockedMethod, Object> proxies = new ConcurrentHashMap<>();

	/**
	 * Returns whether the call is one of the handler, and the handler is such a handler.
	 */
	boolean contains(LockedCall call, HandlerMethod handler) {
		Object known = this.proxies.computeIfAbsent(call.method(), (method) -> proxy(call, handler));
		return known != NONE && known == call.proxy();
	}

	private static Object proxy(LockedCall call, HandlerMethod handler) {
		Object bean = handler.createWithResolvedBean().getBean();
		return (mayReturnNull(handler) && call.isOutermostOf(bean)) ? bean : NONE;
	}

	/** Some annotations would still set a status, or create a session. */
	private static boolean mayReturnNull(HandlerMethod handler) {
		Method method = handler.getMethod();
		return (!method.getReturnType().isPrimitive() || method.getReturnType() == void.class)
				&& !handler.shouldValidateReturnValue()
				&& !AnnotatedElementUtils.hasAnnotation(method, ResponseStatus.class)
				&& !AnnotatedElementUtils.hasAnnotation(handler.getBeanType(), ResponseStatus.class)
				&& !AnnotatedElementUtils.hasAnnotation(handler.getBeanType(), SessionAttributes.class);
	}

}
