package io.github.lockstarter.web.servlet;

import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.accept.ContentNegotiationManager;
import org.springframework.web.accept.HeaderContentNegotiationStrategy;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.handler.HandlerExceptionResolverComposite;
import org.springframework.web.servlet.mvc.annotation.ResponseStatusExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;
import org.springframework.web.servlet.mvc.support.DefaultHandlerExceptionResolver;

/**
 * Finds components of the application that observe a conflict, or change its answer, only
 * if Spring MVC handles the exception. Content negotiation by anything other than the
 * {@code Accept} header counts as such a component.
 */
public final class ConflictObservers {

	/** Resolvers that only answer. */
	private static final Set<Class<?>> RESOLVERS = Set.of(ExceptionHandlerExceptionResolver.class,
			ResponseStatusExceptionResolver.class, DefaultHandlerExceptionResolver.class,
			HandlerExceptionResolverComposite.class, ConflictStatusResolver.class, PreparedConflictResolver.class,
			SuspendedRequestResolver.class, ReplayedAnswerResolver.class);

	/** Stores an exception for an error page, which is not used for a conflict. */
	private static final String ERROR_ATTRIBUTES = "org.springframework.boot.webmvc.error.DefaultErrorAttributes";

	private final Supplier<Boolean> found;

	/**
	 * Creates an instance, which searches for the components at the first conflict.
	 * @param beans the beans of the application
	 * @param adapter calls the handlers
	 * @param negotiation determines the media types that a client accepts
	 */
	public ConflictObservers(ListableBeanFactory beans, Supplier<RequestMappingHandlerAdapter> adapter,
			Supplier<ContentNegotiationManager> negotiation) {
		this.found = SingletonSupplier
			.of(() -> !adapter.get().getErrorResponseInterceptors().isEmpty() || !negotiatesByHeader(negotiation.get())
					|| changesBodies(beans) || resolvers(beans).map(Object::getClass)
						.anyMatch((type) -> !RESOLVERS.contains(type) && !type.getName().equals(ERROR_ATTRIBUTES)));
	}

	/** Returns whether the application has any. */
	boolean exist() {
		return this.found.get();
	}

	private static boolean negotiatesByHeader(ContentNegotiationManager negotiation) {
		return negotiation.getStrategies().stream().allMatch(HeaderContentNegotiationStrategy.class::isInstance);
	}

	private static boolean changesBodies(ListableBeanFactory beans) {
		return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, ResponseBodyAdvice.class, true,
				false).length > 0;
	}

	private static Stream<HandlerExceptionResolver> resolvers(ListableBeanFactory beans) {
		return BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, HandlerExceptionResolver.class, true, false)
			.values()
			.stream()
			.flatMap((resolver) -> (resolver instanceof HandlerExceptionResolverComposite composite)
					? composite.getExceptionResolvers().stream() : Stream.of(resolver));
	}

}
