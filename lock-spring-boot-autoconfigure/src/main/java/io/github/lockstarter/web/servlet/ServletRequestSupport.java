package io.github.lockstarter.web.servlet;

import java.util.function.Supplier;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.interceptor.RequestHandling;
import io.github.lockstarter.interceptor.RequestSupport;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.operation.LockedMethod;

/**
 * Finds the request of Spring MVC for calls of annotated methods.
 */
public final class ServletRequestSupport implements RequestSupport {

	private final Supplier<RequestMappingHandlerAdapter> adapter;

	/**
	 * Creates the support.
	 * @param adapter calls the handlers
	 */
	public ServletRequestSupport(Supplier<RequestMappingHandlerAdapter> adapter) {
		this.adapter = adapter;
	}

	@Override
	public CurrentRequest currentRequest() {
		return ServletCurrentRequest.get();
	}

	@Override
	public @Nullable HeldLeases leases() {
		return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
				&& attributes.getRequest().getAttribute(ServletRequestHandling.LEASES) instanceof HeldLeases leases)
						? leases : null;
	}

	@Override
	public @Nullable RequestHandling handling(LockedMethod method) {
		return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes && method
			.isHandler(attributes.getRequest().getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE)))
					? handling(attributes.getRequest(), attributes.getResponse()) : null;
	}

	ServletRequestHandling handling(HttpServletRequest request, @Nullable HttpServletResponse response) {
		return new ServletRequestHandling(request, response, this.adapter);
	}

}
