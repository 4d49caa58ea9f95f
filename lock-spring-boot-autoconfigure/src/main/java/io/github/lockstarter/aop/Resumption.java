package io.github.lockstarter.aop;

import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import java.util.function.Supplier;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.ui.ModelMap;
import org.springframework.util.Assert;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.AsyncHandlerMethodReturnValueHandler;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.method.support.HandlerMethodReturnValueHandlerComposite;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/**
 * What Spring MVC finds as the result of a request that waited for its locks: the handler
 * is still to be called.
 *
 * @param call the call of the handler
 * @param holding its locks
 */
record Resumption(LockedCall call, Holding holding) {

	/** Calls the handler, and passes its result on to whom it is for. */
	record Handler(Supplier<@Nullable List<HandlerMethodReturnValueHandler>> all)
			implements
				AsyncHandlerMethodReturnValueHandler {

		@Override
		public boolean isAsyncReturnValue(@Nullable Object returnValue, MethodParameter returnType) {
			return returnValue instanceof Resumption;
		}

		@Override
		public boolean supportsReturnType(MethodParameter returnType) {
			return returnType.getParameterType() == Resumption.class;
		}

		@Override
		public void handleReturnValue(@Nullable Object returnValue, MethodParameter returnType,
				ModelAndViewContainer container, NativeWebRequest webRequest) throws Exception {
			Resumption resumption = (Resumption) returnValue;
			HttpServletRequest request = webRequest.getNativeRequest(HttpServletRequest.class);
			Assert.state(resumption != null && request != null, "Nothing to resume");
			Object result = resumption.callHandler();
			for (Object argument : resumption.call().args()) {
				if (argument instanceof RedirectAttributes && argument instanceof ModelMap model) {
					container.setRedirectModel(model);
				}
				else if (argument instanceof ModelMap model) {
					container.addAllAttributes(model);
				}
			}
			HandlerMethod handler = (HandlerMethod) request
				.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE);
			new HandlerMethodReturnValueHandlerComposite().addHandlers(this.all.get())
				.handleReturnValue(result, handler.getReturnValueType(result), container, webRequest);
		}

	}

	private @Nullable Object callHandler() throws Exception {
		try {
			return this.call.proceedLater(this.holding);
		}
		catch (Exception | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new UndeclaredThrowableException(ex);
		}
	}

}
