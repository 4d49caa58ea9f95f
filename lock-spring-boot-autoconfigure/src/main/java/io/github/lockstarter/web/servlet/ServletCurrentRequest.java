package io.github.lockstarter.web.servlet;

import java.security.Principal;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.util.ServletRequestPathUtils;

import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.key.RequestContent;
import io.github.lockstarter.key.SecurityPrincipal;
import io.github.lockstarter.web.RequestPaths;

/**
 * The parts of a servlet request that key expressions may read.
 *
 * @param request the request
 */
public record ServletCurrentRequest(HttpServletRequest request) implements CurrentRequest {

	/** That of {@code HandlerMapping}, which is absent without Spring MVC. */
	static final String PATH_VARIABLES = "org.springframework.web.servlet.HandlerMapping.uriTemplateVariables";

	/** Returns the request of this thread. */
	public static CurrentRequest get() {
		return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
				? new ServletCurrentRequest(attributes.getRequest()) : CurrentRequest.NONE;
	}

	/** Returns whether this thread handles a request. */
	public static boolean isOfThread() {
		return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes;
	}

	@Override
	public @Nullable Principal principal() {
		Principal ofRequest = this.request.getUserPrincipal();
		return (ofRequest != null) ? ofRequest : SecurityPrincipal.ofThread();
	}

	@Override
	public List<String> headers(String name) {
		return Collections.list(this.request.getHeaders(name));
	}

	@Override
	public @Nullable String path() {
		return RequestPaths.canonical(path(this.request));
	}

	static PathContainer path(HttpServletRequest request) {
		RequestPath path = ServletRequestPathUtils.hasParsedRequestPath(request)
				? ServletRequestPathUtils.getParsedRequestPath(request)
				: ServletRequestPathUtils.parseAndCache(request);
		return path.pathWithinApplication();
	}

	@Override
	public @Nullable RequestContent content() {
		return ServletContent.of(this.request);
	}

	@Override
	public @Nullable String pathVariable(String name) {
		return (this.request.getAttribute(PATH_VARIABLES) instanceof Map<?, ?> variables) ? (String) variables.get(name)
				: null;
	}

	@Override
	public @Nullable String param(String name) {
		return this.request.getParameter(name);
	}

}
