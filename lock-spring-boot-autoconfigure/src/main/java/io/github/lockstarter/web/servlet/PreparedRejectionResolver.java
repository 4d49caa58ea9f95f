package io.github.lockstarter.web.servlet;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.http.HttpHeaders;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.accept.ContentNegotiationManager;
import org.springframework.web.accept.HeaderContentNegotiationStrategy;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.handler.HandlerExceptionResolverComposite;
import org.springframework.web.servlet.mvc.annotation.ResponseStatusExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;
import org.springframework.web.servlet.mvc.support.DefaultHandlerExceptionResolver;
import org.springframework.web.util.ContentCachingResponseWrapper;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.web.AcceptHeader;
import io.github.lockstarter.web.PreparedRejection;
import io.github.lockstarter.web.PreparedRejections.ConflictKind;
import io.github.lockstarter.web.PreparedRejections;

/**
 * Responds to conflicts with prepared documents, instead of Spring MVC's search for an
 * advice, content negotiation and message converters. The first conflicts of a kind are
 * handled by Spring MVC. If the advice of this library handles them, its responses are
 * kept for later conflicts. This is not done in an application that observes exceptions
 * or changes responses.
 */
public final class PreparedRejectionResolver implements HandlerExceptionResolver {

	private static final long YIELD_INTERVAL = TimeUnit.MICROSECONDS.toNanos(500);

	private final ExceptionHandlerExceptionResolver advices;

	private final ServletConflictObservers observers;

	private final boolean virtualThreads;

	private final PreparedRejections prepared = new PreparedRejections();

	private volatile long lastYield = System.nanoTime();

	/**
	 * Creates a resolver, which has to come before all resolvers that respond.
	 * @param advices calls the controller advice
	 * @param beans the beans of the application
	 * @param virtualThreads whether requests have virtual threads, which yield at little
	 * cost
	 */
	public PreparedRejectionResolver(ExceptionHandlerExceptionResolver advices, ListableBeanFactory beans,
			boolean virtualThreads) {
		this.advices = advices;
		this.observers = new ServletConflictObservers(beans);
		this.virtualThreads = virtualThreads;
	}

	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception exception) {
		if (!(exception instanceof LockConflictException conflict) || !(handler instanceof HandlerMethod method)
				|| response.isCommitted() || isForwarded(request) || this.observers.exist()) {
			return null;
		}
		List<String> accepted = Collections.list(request.getHeaders(HttpHeaders.ACCEPT));
		ConflictKind kind = ConflictKind.of(method.getBeanType(), conflict, LocaleContextHolder.getLocale(), accepted);
		if (kind == null) {
			return null;
		}
		PreparedRejection found = this.prepared.find(kind);
		byte[] body = (found != null) ? found.body(request.getRequestURI(), conflict.getRetryAfter().toMillis()) : null;
		if (found != null && body != null) {
			giveWay();
			return write(conflict, found.contentType(), body, response);
		}
		return (this.prepared.wants(kind) && !AcceptHeader.prefersHtml(accepted))
				? prepare(kind, conflict, request, response, method) : null;
	}

	/** The response may depend on the original path of the client. */
	private static boolean isForwarded(HttpServletRequest request) {
		return request.getAttribute(RequestDispatcher.FORWARD_REQUEST_URI) != null;
	}

	/**
	 * Yields the processor to the holder, whose next step may wait for it. Little is left
	 * to do for a rejected request, and its client may retry at once. Measured in ADR 37.
	 */
	@SuppressWarnings("ThreadPriorityCheck") // only the timing depends on it
	private void giveWay() {
		long now = System.nanoTime();
		if (this.virtualThreads || now - this.lastYield > YIELD_INTERVAL) {
			this.lastYield = now;
			Thread.yield();
		}
	}

	/** Returns {@code null} if it cannot be written as bytes. */
	private static @Nullable ModelAndView write(LockConflictException conflict, String contentType, byte[] body,
			HttpServletResponse response) {
		try {
			ServletOutputStream output = response.getOutputStream();
			response.setStatus(conflict.getStatusCode().value());
			conflict.getHeaders().forEach((name, values) -> {
				response.setHeader(name, values.get(0));
				values.stream().skip(1).forEach((value) -> response.addHeader(name, value));
			});
			response.setContentType(contentType);
			response.setContentLength(body.length);
			output.write(body);
		}
		catch (IllegalStateException ex) {
			// The handler has a parameter for the writer of the response.
			return null;
		}
		catch (IOException ex) {
			// The client has disconnected.
		}
		return new ModelAndView();
	}

	private @Nullable ModelAndView prepare(ConflictKind kind, LockConflictException conflict,
			HttpServletRequest request, HttpServletResponse response, HandlerMethod handler) {
		ContentCachingResponseWrapper copy = new ContentCachingResponseWrapper(response);
		ModelAndView resolved = this.advices.resolveException(request, copy, handler, conflict);
		if (resolved != null) {
			boolean ours = request.getAttribute(ServletLockExceptionHandler.RESPONDED) == conflict;
			this.prepared.add(kind, ours ? PreparedRejection.of(copy.getContentType(), copy.getContentAsByteArray(),
					request.getRequestURI(), conflict.getRetryAfter().toMillis()) : null);
		}
		try {
			copy.copyBodyToResponse();
		}
		catch (IOException ex) {
			// The client has disconnected.
		}
		return resolved;
	}

	/**
	 * Finds components of the application that observe a conflict, or change its
	 * response, only if Spring MVC handles the exception. Content negotiation by anything
	 * other than the {@code Accept} header counts as such a component.
	 */
	private static final class ServletConflictObservers {

		/** Resolvers that only respond. */
		private static final Set<Class<?>> RESOLVERS = Set.of(ExceptionHandlerExceptionResolver.class,
				ResponseStatusExceptionResolver.class, DefaultHandlerExceptionResolver.class,
				HandlerExceptionResolverComposite.class, PreparedRejectionResolver.class,
				SuspendedRequestResolver.class, ReplayedResponseResolver.class);

		/** Stores an exception for an error page, which is not used for a conflict. */
		private static final String ERROR_ATTRIBUTES = "org.springframework.boot.webmvc.error.DefaultErrorAttributes";

		private final Supplier<Boolean> found;

		/**
		 * Creates an instance, which searches for the components at the first conflict.
		 */
		ServletConflictObservers(ListableBeanFactory beans) {
			this.found = SingletonSupplier.of(() -> changesErrors(beans) || negotiates(beans) || changesBodies(beans)
					|| resolvers(beans).map(Object::getClass)
						.anyMatch((type) -> !RESOLVERS.contains(type) && !type.getName().equals(ERROR_ATTRIBUTES)));
		}

		/** Returns whether the application has any. */
		boolean exist() {
			return this.found.get();
		}

		/** Other libraries have adapters of the same type for their own handlers. */
		private static boolean changesErrors(ListableBeanFactory beans) {
			return !beans.getBean("requestMappingHandlerAdapter", RequestMappingHandlerAdapter.class)
				.getErrorResponseInterceptors()
				.isEmpty();
		}

		private static boolean negotiates(ListableBeanFactory beans) {
			return !beans.getBean("mvcContentNegotiationManager", ContentNegotiationManager.class)
				.getStrategies()
				.stream()
				.allMatch(HeaderContentNegotiationStrategy.class::isInstance);
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

}
