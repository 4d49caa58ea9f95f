package io.github.lockstarter.web.servlet;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.Assert;
import org.springframework.util.StringUtils;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.method.support.HandlerMethodReturnValueHandlerComposite;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import io.github.lockstarter.result.ResponseHead;
import io.github.lockstarter.result.SharedResult.Response;

/**
 * A response that Spring MVC has made from the value of a handler before the transaction
 * of the handler ends. It is sent if the handler returns that value.
 *
 * @param value the value
 * @param response the response
 */
public record UnsentServletResponse(@Nullable Object value, DetachedResponse response) {

	private static final String ATTRIBUTE = UnsentServletResponse.class.getName();

	/** Lets an adapter send the responses that have been made. */
	public static void send(RequestMappingHandlerAdapter adapter) {
		List<HandlerMethodReturnValueHandler> others = adapter.getReturnValueHandlers();
		Assert.state(others != null, "The adapter has not been initialized");
		List<HandlerMethodReturnValueHandler> all = new ArrayList<>();
		all.add(new Sender(new HandlerMethodReturnValueHandlerComposite().addHandlers(others)));
		all.addAll(others);
		adapter.setReturnValueHandlers(all);
	}

	/**
	 * Makes the response to a request, and keeps it until the handler has returned.
	 * @param handler the handler that has returned the value
	 * @param exchange the request and its response
	 * @param recorded the response to the request, outside of all filters
	 * @return the response; {@code null} if Spring MVC makes it only later, as it does
	 * for a view
	 * @throws Exception if the value cannot be written
	 */
	static @Nullable Response make(RequestMappingHandlerAdapter adapter, HandlerMethod handler, @Nullable Object value,
			ServletWebRequest exchange, RecordedServletResponse recorded) throws Exception {
		HttpServletRequest request = exchange.getRequest();
		request.removeAttribute(ATTRIBUTE);
		DetachedResponse detached = new DetachedResponse(Objects.requireNonNull(exchange.getResponse()));
		ResponseStatus status = status(handler);
		if (status != null) {
			if (StringUtils.hasText(status.reason())) {
				return null;
			}
			detached.setStatus(status.code().value());
		}
		if (value != null || status == null) {
			ModelAndViewContainer container = new ModelAndViewContainer();
			new HandlerMethodReturnValueHandlerComposite().addHandlers(adapter.getReturnValueHandlers())
				.handleReturnValue(value, handler.getReturnValueType(value), container,
						new ServletWebRequest(request, detached));
			if (!container.isRequestHandled() || detached.isError()) {
				return null;
			}
		}
		request.setAttribute(ATTRIBUTE, new UnsentServletResponse(value, detached));
		return Response.withBody(ResponseHead.of(detached.getStatus(), (name) -> recorded.values(name, detached)),
				detached.body());
	}

	/** Returns the annotation of the handler; {@code null} if there is none. */
	static @Nullable ResponseStatus status(HandlerMethod handler) {
		ResponseStatus own = handler.getMethodAnnotation(ResponseStatus.class);
		return (own != null) ? own
				: AnnotatedElementUtils.findMergedAnnotation(handler.getBeanType(), ResponseStatus.class);
	}

	/** Sends a response instead of the value that it was made from. */
	private record Sender(HandlerMethodReturnValueHandlerComposite others) implements HandlerMethodReturnValueHandler {

		@Override
		public boolean supportsReturnType(MethodParameter returnType) {
			RequestAttributes request = RequestContextHolder.getRequestAttributes();
			return request != null && request.getAttribute(ATTRIBUTE,
					RequestAttributes.SCOPE_REQUEST) instanceof UnsentServletResponse;
		}

		@Override
		public void handleReturnValue(@Nullable Object value, MethodParameter returnType,
				ModelAndViewContainer container, NativeWebRequest request) throws Exception {
			Object made = request.getAttribute(ATTRIBUTE, RequestAttributes.SCOPE_REQUEST);
			request.removeAttribute(ATTRIBUTE, RequestAttributes.SCOPE_REQUEST);
			if (made instanceof UnsentServletResponse response && response.value == value) {
				container.setRequestHandled(true);
				response.response.send();
			}
			else {
				// Advice of the application has changed the value.
				this.others.handleReturnValue(value, returnType, container, request);
			}
		}

	}

}
