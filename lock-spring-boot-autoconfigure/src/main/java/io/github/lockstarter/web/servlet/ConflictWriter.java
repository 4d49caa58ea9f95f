package io.github.lockstarter.web.servlet;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.accept.ContentNegotiationManager;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.SessionAttributes;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.HandlerMethodReturnValueHandlerComposite;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.util.ContentCachingResponseWrapper;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.interceptor.LockedCall;
import io.github.lockstarter.web.PreparedConflict;
import io.github.lockstarter.web.PreparedConflicts;
import io.github.lockstarter.web.PreparedConflicts.Kind;

/**
 * Answers conflicts of handlers without Spring MVC's exception handling, with the answer
 * that it would make. The first conflict of a kind is thrown: if it comes to the advice
 * of this library, and the application has nothing that observes exceptions or changes
 * answers, later ones are answered at once.
 */
public final class ConflictWriter {

	/** The name of the attribute with the kind of a conflict that is thrown. */
	private static final String THROWN = ConflictWriter.class.getName() + ".thrown";

	private final PreparedConflicts prepared = new PreparedConflicts();

	private final Supplier<RequestMappingHandlerAdapter> adapter;

	private final Supplier<ContentNegotiationManager> negotiation;

	private final ConflictObservers observers;

	/**
	 * Creates a writer.
	 * @param adapter writes what handlers return
	 * @param negotiation tells what a client accepts
	 * @param observers what would miss a conflict that is not thrown
	 */
	public ConflictWriter(Supplier<RequestMappingHandlerAdapter> adapter,
			Supplier<ContentNegotiationManager> negotiation, ConflictObservers observers) {
		this.adapter = adapter;
		this.negotiation = negotiation;
		this.observers = observers;
	}

	/**
	 * Answers the request of this thread, if the answer is prepared.
	 * @return whether it is; otherwise the conflict has to be thrown
	 */
	boolean write(LockConflictException conflict, LockedCall call, HttpServletRequest request,
			HttpServletResponse response) throws IOException {
		if (response.isCommitted() || !(request
			.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE) instanceof HandlerMethod handler)) {
			return false;
		}
		Kind kind = Kind.of(handler, conflict, LocaleContextHolder.getLocale(), accepted(request));
		PreparedConflict answer = this.prepared.find(kind);
		byte[] body = (answer != null) ? answer.body(request.getRequestURI(), conflict.getRetryAfter().toMillis())
				: null;
		if (answer == null || body == null) {
			if (answer == null && mayReturnNull(handler, call, request)
					&& call.isOutermostOf(handler.createWithResolvedBean().getBean())) {
				request.setAttribute(THROWN, kind);
			}
			return false;
		}
		response.setStatus(kind.status());
		conflict.getHeaders().forEach((name, values) -> response.setHeader(name, values.get(0)));
		response.setContentType(answer.contentType());
		response.setContentLength(body.length);
		response.getOutputStream().write(body);
		// As for an exception that was answered: a filter may look for it.
		request.setAttribute(DispatcherServlet.EXCEPTION_ATTRIBUTE, conflict);
		ModelAndViewContainer container = PreparedModel.of(request);
		if (container != null) {
			container.setRequestHandled(true);
		}
		return true;
	}

	/** Returns nothing where a client cannot be understood. */
	private List<MediaType> accepted(HttpServletRequest request) {
		try {
			return this.negotiation.get().resolveMediaTypes(new ServletWebRequest(request));
		}
		catch (HttpMediaTypeNotAcceptableException ex) {
			return List.of();
		}
	}

	/**
	 * Returns whether Spring MVC leaves the response alone where the handler returns
	 * nothing.
	 */
	private static boolean mayReturnNull(HandlerMethod handler, LockedCall call, HttpServletRequest request) {
		Method method = handler.getMethod();
		return (PreparedModel.of(request) != null || call.method().writesBody())
				&& (!method.getReturnType().isPrimitive() || method.getReturnType() == void.class)
				&& !handler.shouldValidateReturnValue()
				&& !AnnotatedElementUtils.hasAnnotation(method, ResponseStatus.class)
				&& !AnnotatedElementUtils.hasAnnotation(handler.getBeanType(), ResponseStatus.class)
				&& !AnnotatedElementUtils.hasAnnotation(handler.getBeanType(), SessionAttributes.class);
	}

	/**
	 * Writes the answer to a conflict that was thrown, and prepares those to come.
	 * @param type what the answer is returned as
	 * @return {@code false} if they cannot be prepared, and nothing has been written
	 */
	boolean writeThrown(LockConflictException conflict, ResponseEntity<ProblemDetail> answer, MethodParameter type,
			ServletWebRequest request) throws Exception {
		HttpServletResponse response = request.getResponse();
		if (!(request.getRequest().getAttribute(THROWN) instanceof Kind kind) || response == null
				|| kind.status() != answer.getStatusCode().value() || this.observers.observe(request.getRequest())) {
			return false;
		}
		ContentCachingResponseWrapper copy = new ContentCachingResponseWrapper(response);
		new HandlerMethodReturnValueHandlerComposite().addHandlers(this.adapter.get().getReturnValueHandlers())
			.handleReturnValue(answer, type, new ModelAndViewContainer(),
					new ServletWebRequest(request.getRequest(), copy));
		this.prepared.prepare(kind, conflict, request.getRequest().getRequestURI(), copy.getContentType(),
				copy.getContentAsByteArray());
		copy.copyBodyToResponse();
		return true;
	}

}
