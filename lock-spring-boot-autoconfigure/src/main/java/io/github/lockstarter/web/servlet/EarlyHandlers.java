package io.github.lockstarter.web.servlet;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.AbstractNamedValueMethodArgumentResolver;
import org.springframework.web.method.annotation.RequestHeaderMethodArgumentResolver;
import org.springframework.web.method.annotation.RequestParamMethodArgumentResolver;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.mvc.method.annotation.PathVariableMethodArgumentResolver;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import io.github.lockstarter.interceptor.ExclusiveRequestAdvisor;
import io.github.lockstarter.operation.LockedMethod;

/**
 * The handlers whose locks can be acquired before their arguments are resolved: no other
 * advice is outside of the lock, and of the arguments the locks depend only on those that
 * are plain values of the request. These are path variables, parameters and headers that
 * are texts, numbers, UUIDs or constants of an enum.
 */
final class EarlyHandlers {

	private final Supplier<RequestMappingHandlerAdapter> adapter;

	private final HandlerBinders binders;

	/** By the registered handler: beans of one class may have different advice. */
	private final Map<HandlerMethod, KeyArguments> known = new ConcurrentHashMap<>();

	/**
	 * Creates an instance.
	 * @param adapter resolves the arguments of handlers
	 */
	EarlyHandlers(Supplier<RequestMappingHandlerAdapter> adapter) {
		this.adapter = adapter;
		this.binders = new HandlerBinders(adapter);
	}

	/**
	 * Returns whether the handler is one of them.
	 * @param bean its controller; if it is {@code null}, other advice is not considered
	 */
	boolean contain(LockedMethod method, HandlerMethod handler, @Nullable Object bean) {
		return (bean == null || ExclusiveRequestAdvisor.isOutermost(bean, method))
				&& resolvers(method, handler) != null;
	}

	/**
	 * Returns the arguments that the locks of a handler depend on, at their positions.
	 * @return {@code null} if it is none of these handlers, or an argument has no valid
	 * value
	 */
	@Nullable Object @Nullable [] arguments(LockedMethod method, HandlerMethod handler, NativeWebRequest request) {
		Map<Integer, AbstractNamedValueMethodArgumentResolver> resolvers = keyArguments(method, handler).resolvers;
		if (resolvers == null) {
			return null;
		}
		MethodParameter[] parameters = handler.getMethodParameters();
		@Nullable Object[] args = new Object[parameters.length];
		WebDataBinderFactory binders = resolvers.isEmpty() ? null : this.binders.factory(handler);
		for (Map.Entry<Integer, AbstractNamedValueMethodArgumentResolver> each : resolvers.entrySet()) {
			int position = each.getKey();
			try {
				args[position] = each.getValue().resolveArgument(parameters[position], null, request, binders);
			}
			catch (Exception ex) {
				// Spring MVC answers it when it resolves all arguments.
				return null;
			}
		}
		return args;
	}

	private KeyArguments keyArguments(LockedMethod method, HandlerMethod handler) {
		HandlerMethod registered = handler.getResolvedFromHandlerMethod();
		return this.known.computeIfAbsent((registered != null) ? registered : handler, (key) -> new KeyArguments(
				ExclusiveRequestAdvisor.isOutermost(handler.getBean(), method) ? resolvers(method, handler) : null));
	}

	private @Nullable Map<Integer, AbstractNamedValueMethodArgumentResolver> resolvers(LockedMethod method,
			HandlerMethod handler) {
		Set<Integer> positions = method.keyParameters();
		if (positions == null || method.returnType().isSuspending()) {
			return null;
		}
		Map<Integer, AbstractNamedValueMethodArgumentResolver> found = new TreeMap<>();
		for (int position : positions) {
			MethodParameter parameter = handler.getMethodParameters()[position];
			parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
			AbstractNamedValueMethodArgumentResolver resolver = isPlain(parameter.getParameterType())
					? resolver(parameter) : null;
			if (resolver == null) {
				return null;
			}
			found.put(position, resolver);
		}
		return found;
	}

	private static boolean isPlain(Class<?> type) {
		Class<?> wrapped = ClassUtils.resolvePrimitiveIfNecessary(type);
		return wrapped == String.class || Number.class.isAssignableFrom(wrapped) || wrapped == Boolean.class
				|| wrapped == Character.class || wrapped == UUID.class || wrapped.isEnum();
	}

	/** Returns the resolver of the parameter, if it reads the request only. */
	private @Nullable AbstractNamedValueMethodArgumentResolver resolver(MethodParameter parameter) {
		List<HandlerMethodArgumentResolver> all = this.adapter.get().getArgumentResolvers();
		return (all == null) ? null
				: all.stream()
					.filter((each) -> !(each instanceof PreparedModel) && each.supportsParameter(parameter))
					.findFirst()
					.filter(EarlyHandlers::readsRequest)
					.map(AbstractNamedValueMethodArgumentResolver.class::cast)
					.orElse(null);
	}

	private static boolean readsRequest(HandlerMethodArgumentResolver resolver) {
		Class<?> type = resolver.getClass();
		return type == PathVariableMethodArgumentResolver.class || type == RequestParamMethodArgumentResolver.class
				|| type == RequestHeaderMethodArgumentResolver.class;
	}

	/**
	 * The arguments of a handler that its locks depend on.
	 *
	 * @param resolvers the resolvers by position; {@code null} if the locks of the
	 * handler cannot be acquired before its arguments are resolved
	 */
	private record KeyArguments(@Nullable Map<Integer, AbstractNamedValueMethodArgumentResolver> resolvers) {
	}

}
