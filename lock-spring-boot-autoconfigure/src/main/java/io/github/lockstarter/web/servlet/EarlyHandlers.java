package io.github.lockstarter.web.servlet;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import jakarta.servlet.ServletException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.TypeMismatchException;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.util.ClassUtils;
import org.springframework.web.ErrorResponse;
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
 * The handlers whose locks can be acquired before their arguments are resolved. No other
 * advice is outside of the lock, and the locks depend only on arguments that are plain
 * values of the request. These are path variables, parameters and headers that are texts,
 * numbers, booleans, characters, UUIDs or constants of an enum.
 */
final class EarlyHandlers {

	private static final Log logger = LogFactory.getLog(EarlyHandlers.class);

	private final Supplier<RequestMappingHandlerAdapter> adapter;

	private final HandlerBinders binders;

	/** By the registered handler: beans of one class may have different advice. */
	private final Map<HandlerMethod, KeyArguments> known = new ConcurrentHashMap<>();

	/** Registered handlers with an entity whose controller did not exist at startup. */
	private final Set<HandlerMethod> unchecked = ConcurrentHashMap.newKeySet();

	/**
	 * Registered handlers whose arguments could not be resolved for another reason than
	 * the request.
	 */
	private final Set<HandlerMethod> failed = ConcurrentHashMap.newKeySet();

	/**
	 * Creates an instance.
	 * @param adapter resolves the arguments of handlers
	 */
	EarlyHandlers(Supplier<RequestMappingHandlerAdapter> adapter) {
		this.adapter = adapter;
		this.binders = new HandlerBinders(adapter);
	}

	/**
	 * Logs a warning for a handler that is none of them and gets an entity, which another
	 * request may change between its loading and the lock.
	 * @param bean its controller; if it is {@code null}, other advice is considered at
	 * the first request
	 */
	void check(LockedMethod method, HandlerMethod handler, @Nullable Object bean) {
		Class<?> entity = LoadedEntities.find(handler).orElse(null);
		if (entity == null) {
			return;
		}
		if (resolvers(method, handler) == null
				|| (bean != null && !ExclusiveRequestAdvisor.isOutermost(bean, method))) {
			LoadedEntities.warn(handler, entity);
		}
		else if (bean == null) {
			this.unchecked.add(handler);
		}
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
				// Spring MVC handles it when it resolves all arguments.
				if (!isOfRequest(ex) && this.failed.add(registered(handler))) {
					logger.warn("The locks of %s are acquired after its arguments, which cannot be resolved before"
						.formatted(handler.getShortLogMessage()), ex);
				}
				return null;
			}
		}
		return args;
	}

	/** Returns whether the client has sent a missing or an invalid value. */
	private static boolean isOfRequest(Exception failure) {
		return failure instanceof ServletException || failure instanceof ErrorResponse
				|| failure instanceof TypeMismatchException;
	}

	private KeyArguments keyArguments(LockedMethod method, HandlerMethod handler) {
		return this.known.computeIfAbsent(registered(handler), (registered) -> {
			boolean outermost = ExclusiveRequestAdvisor.isOutermost(handler.getBean(), method);
			if (!outermost && this.unchecked.remove(registered)) {
				LoadedEntities.find(handler).ifPresent((entity) -> LoadedEntities.warn(handler, entity));
			}
			return new KeyArguments(outermost ? resolvers(method, handler) : null);
		});
	}

	private static HandlerMethod registered(HandlerMethod handler) {
		HandlerMethod registered = handler.getResolvedFromHandlerMethod();
		return (registered != null) ? registered : handler;
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
					.filter((each) -> !(each instanceof KeptModel) && each.supportsParameter(parameter))
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
