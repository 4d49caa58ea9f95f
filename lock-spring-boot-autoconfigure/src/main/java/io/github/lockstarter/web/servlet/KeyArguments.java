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
import org.springframework.web.bind.support.DefaultDataBinderFactory;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.AbstractNamedValueMethodArgumentResolver;
import org.springframework.web.method.annotation.RequestHeaderMethodArgumentResolver;
import org.springframework.web.method.annotation.RequestParamMethodArgumentResolver;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.mvc.method.annotation.PathVariableMethodArgumentResolver;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import io.github.lockstarter.operation.LockedMethod;

/**
 * The arguments of a handler that its locks depend on, resolved before the others. Only
 * arguments that are plain values of the request are resolved: path variables, parameters
 * and headers that are texts, numbers, UUIDs or constants of an enum.
 */
final class KeyArguments {

	private final Supplier<RequestMappingHandlerAdapter> adapter;

	/** The resolvers by the position of their parameter, if all are known. */
	private final Map<LockedMethod, Resolvers> resolvers = new ConcurrentHashMap<>();

	/**
	 * Creates an instance.
	 * @param adapter resolves the arguments of handlers
	 */
	KeyArguments(Supplier<RequestMappingHandlerAdapter> adapter) {
		this.adapter = adapter;
	}

	/**
	 * Returns the arguments at their positions, and no others.
	 * @return {@code null} if one of them is not a plain value of the request, or has no
	 * valid value
	 */
	@Nullable Object @Nullable [] resolve(LockedMethod method, HandlerMethod handler, NativeWebRequest request) {
		Resolvers known = this.resolvers.computeIfAbsent(method, (key) -> new Resolvers(find(key, handler)));
		if (known.byPosition == null) {
			return null;
		}
		MethodParameter[] parameters = handler.getMethodParameters();
		@Nullable Object[] args = new Object[parameters.length];
		WebDataBinderFactory binders = known.byPosition.isEmpty() ? null
				: new DefaultDataBinderFactory(this.adapter.get().getWebBindingInitializer());
		for (Map.Entry<Integer, AbstractNamedValueMethodArgumentResolver> each : known.byPosition.entrySet()) {
			try {
				args[each.getKey()] = each.getValue()
					.resolveArgument(parameters[each.getKey()], null, request, binders);
			}
			catch (Exception ex) {
				// Spring MVC answers it when it resolves all arguments.
				return null;
			}
		}
		return args;
	}

	private @Nullable Map<Integer, AbstractNamedValueMethodArgumentResolver> find(LockedMethod method,
			HandlerMethod handler) {
		Set<Integer> positions = method.keyParameters();
		if (positions == null) {
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
					.filter(KeyArguments::readsRequest)
					.map(AbstractNamedValueMethodArgumentResolver.class::cast)
					.orElse(null);
	}

	private static boolean readsRequest(HandlerMethodArgumentResolver resolver) {
		Class<?> type = resolver.getClass();
		return type == PathVariableMethodArgumentResolver.class || type == RequestParamMethodArgumentResolver.class
				|| type == RequestHeaderMethodArgumentResolver.class;
	}

	/**
	 * The resolvers of a handler.
	 *
	 * @param byPosition {@code null} if an argument is not a plain value of the request
	 */
	private record Resolvers(@Nullable Map<Integer, AbstractNamedValueMethodArgumentResolver> byPosition) {
	}

}
