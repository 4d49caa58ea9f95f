package io.github.lockstarter.web.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

import io.github.lockstarter.web.servlet.ServletRequestHandling.Suspendable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which handlers may wait without a thread. A container may not wrap the response of a
 * dispatch, which would also keep the thread.
 */
class LockHandlerInterceptorTests {

	@ParameterizedTest
	@EnumSource(names = { "INCLUDE", "FORWARD", "ERROR" })
	@DisplayName("The handler of a nested dispatch or of an error page keeps its thread; the outer handler does not")
	void keepsThread(DispatcherType type) {
		LockHandlerInterceptor interceptor = new LockHandlerInterceptor(Suspendable.ALL);
		MockHttpServletRequest request = new MockHttpServletRequest();
		MockHttpServletResponse response = new MockHttpServletResponse();
		interceptor.preHandle(request, response, "outer");
		assertThat(request.getAttribute(ServletRequestHandling.SUSPENDABLE)).isEqualTo(Suspendable.ALL);
		request.setDispatcherType(type);
		request.setAttribute(RequestDispatcher.ERROR_STATUS_CODE, (type == DispatcherType.ERROR) ? 418 : null);
		interceptor.preHandle(request, response, "inner");
		assertThat(request.getAttribute(ServletRequestHandling.SUSPENDABLE)).isNull();
	}

}
