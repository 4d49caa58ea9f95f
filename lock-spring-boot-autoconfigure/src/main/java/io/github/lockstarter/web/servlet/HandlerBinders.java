package io.github.lockstarter.web.servlet;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.support.DefaultDataBinderFactory;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.HandlerMethodArgumentResolverComposite;
import org.springframework.web.method.support.InvocableHandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.ServletRequestDataBinderFactory;

/**
 * The data binders of handlers before Spring MVC calls them. They have what the
 * {@link InitBinder} methods of the controller and of the advices set, so that a value is
 * converted as for the handler.
 */
final class HandlerBinders {

	private final Supplier<RequestMappingHandlerAdapter> adapter;

	private final ParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();

	/** The methods of each controller class. */
	private final Map<Class<?>, Set<Method>> methods = new ConcurrentHashMap<>();

	private final Supplier<Map<ControllerAdviceBean, Set<Method>>> advices = SingletonSupplier.of(this::findAdvices);

	/**
	 * Creates an instance.
	 * @param adapter calls the handlers
	 */
	HandlerBinders(Supplier<RequestMappingHandlerAdapter> adapter) {
		this.adapter = adapter;
	}

	/** Returns the factory for the data binders of the handler. */
	WebDataBinderFactory factory(HandlerMethod handler) {
		Class<?> type = handler.getBeanType();
		List<InvocableHandlerMethod> initializers = new ArrayList<>();
		this.advices.get().forEach((advice, methods) -> {
			if (advice.isApplicableToBeanType(type)) {
				methods.forEach((method) -> initializers.add(invocable(advice.resolveBean(), method)));
			}
		});
		this.methods.computeIfAbsent(type, HandlerBinders::initBinderMethods)
			.forEach((method) -> initializers.add(invocable(handler.getBean(), method)));
		return new ServletRequestDataBinderFactory(initializers, this.adapter.get().getWebBindingInitializer());
	}

	private Map<ControllerAdviceBean, Set<Method>> findAdvices() {
		Map<ControllerAdviceBean, Set<Method>> found = new LinkedHashMap<>();
		ApplicationContext context = this.adapter.get().getApplicationContext();
		if (context != null) {
			for (ControllerAdviceBean advice : ControllerAdviceBean.findAnnotatedBeans(context)) {
				Class<?> type = advice.getBeanType();
				Set<Method> methods = (type != null) ? initBinderMethods(type) : Set.of();
				if (!methods.isEmpty()) {
					found.put(advice, methods);
				}
			}
		}
		return found;
	}

	private static Set<Method> initBinderMethods(Class<?> type) {
		return MethodIntrospector.selectMethods(type, RequestMappingHandlerAdapter.INIT_BINDER_METHODS);
	}

	private InvocableHandlerMethod invocable(Object bean, Method method) {
		InvocableHandlerMethod invocable = new InvocableHandlerMethod(bean, method);
		@Nullable List<HandlerMethodArgumentResolver> resolvers = this.adapter.get().getInitBinderArgumentResolvers();
		invocable.setHandlerMethodArgumentResolvers(
				new HandlerMethodArgumentResolverComposite().addResolvers((resolvers != null) ? resolvers : List.of()));
		invocable.setDataBinderFactory(new DefaultDataBinderFactory(this.adapter.get().getWebBindingInitializer()));
		invocable.setParameterNameDiscoverer(this.names);
		return invocable;
	}

}
