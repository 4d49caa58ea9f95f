package io.github.lockstarter.web.servlet;

import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.NamedThreadLocal;
import org.springframework.util.Assert;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.HandlerMethodValidator;
import org.springframework.web.method.support.AsyncHandlerMethodReturnValueHandler;
import org.springframework.web.method.support.HandlerMethodReturnValueHandlerComposite;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.ServletInvocableHandlerMethod;

import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.interceptor.LockedCall;
import io.github.lockstarter.operation.LockedMethod;

/**
 * The result of a request that has waited for its locks and whose handler is still to be
 * called. The handler is called as Spring MVC would have called it, including other
 * advice around it.
 *
 * @param call the call of the handler that had to wait
 * @param leases the leases of the call
 * @param handled whether Spring MVC treats the request as handled if the handler returns
 * {@code null}, because it may have written the response itself
 */
record ResumedHandler(LockedCall call, HeldLeases leases, boolean handled) implements Resumption {

	private static final ThreadLocal<@Nullable ResumedHandler> underWay = new NamedThreadLocal<>(
			"Handler that has waited for its locks");

	/**
	 * Returns, once, the leases for which a call of the method on this thread has waited.
	 */
	static @Nullable HeldLeases take(LockedMethod method) {
		ResumedHandler resumption = underWay.get();
		if (resumption == null || !resumption.call.method().method().equals(method.method())) {
			return null;
		}
		underWay.remove();
		return resumption.leases;
	}

	@Override
	public void discard() {
		this.leases.abandon();
	}

	/** Resumes requests. */
	static final class ResumingHandler implements AsyncHandlerMethodReturnValueHandler {

		private final Supplier<RequestMappingHandlerAdapter> adapter;

		/**
		 * Creates a handler.
		 * @param adapter calls the handlers of requests that do not wait
		 */
		ResumingHandler(Supplier<RequestMappingHandlerAdapter> adapter) {
			this.adapter = adapter;
		}

		@Override
		public boolean isAsyncReturnValue(@Nullable Object returnValue, MethodParameter returnType) {
			return returnValue instanceof ResumedHandler;
		}

		@Override
		public boolean supportsReturnType(MethodParameter returnType) {
			return returnType.getParameterType() == ResumedHandler.class;
		}

		@Override
		public void handleReturnValue(@Nullable Object returnValue, MethodParameter returnType,
				ModelAndViewContainer container, NativeWebRequest webRequest) throws Exception {
			HttpServletRequest request = webRequest.getNativeRequest(HttpServletRequest.class);
			Assert.state(returnValue instanceof ResumedHandler && request != null, "Nothing to resume");
			ResumedHandler resumption = (ResumedHandler) returnValue;
			request.removeAttribute(DispatcherServlet.EXCEPTION_ATTRIBUTE);
			ResumedMethod method = new ResumedMethod(
					(HandlerMethod) request.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE), resumption);
			method.setHandlerMethodReturnValueHandlers(new HandlerMethodReturnValueHandlerComposite()
				.addHandlers(this.adapter.get().getReturnValueHandlers()));
			if (method.shouldValidateReturnValue()) {
				method.setMethodValidator(HandlerMethodValidator.from(this.adapter.get().getWebBindingInitializer(),
						null, (parameter) -> false, (parameter) -> false));
			}
			container.setRequestHandled(resumption.handled);
			method.invokeAndHandle((ServletWebRequest) webRequest, container);
		}

	}

	/** The handler, with arguments that have been resolved already. */
	private static final class ResumedMethod extends ServletInvocableHandlerMethod {

		private final ResumedHandler resumption;

		ResumedMethod(HandlerMethod handler, ResumedHandler resumption) {
			super(handler.createWithResolvedBean());
			this.resumption = resumption;
		}

		@Override
		protected @Nullable Object[] getMethodArgumentValues(NativeWebRequest request,
				@Nullable ModelAndViewContainer container, @Nullable Object... provided) {
			// The request of the first dispatch must no longer be used.
			return Stream.of(this.resumption.call.args())
				.map((arg) -> (arg instanceof ServletWebRequest) ? request : arg)
				.toArray();
		}

		@Override
		protected @Nullable Object doInvoke(@Nullable Object... args) throws Exception {
			underWay.set(this.resumption);
			try {
				return super.doInvoke(args);
			}
			finally {
				if (underWay.get() != null) {
					// Other advice may have skipped the call.
					underWay.remove();
					this.resumption.leases.abandon();
				}
			}
		}

	}

}
