package io.github.lockstarter.sample;

import java.io.IOException;
import java.io.UncheckedIOException;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.TypeMismatchException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.ErrorResponse;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Shows a browser the error page if Spring MVC rejects a request before it reaches a
 * handler. Programs get problem details.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class BrowserErrors implements HandlerExceptionResolver {

	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception exception) {
		if (!acceptsHtml(request)) {
			return null;
		}
		if (exception instanceof ServletException && exception instanceof ErrorResponse rejection) {
			rejection.getHeaders()
				.forEach((name, values) -> values.forEach((value) -> response.addHeader(name, value)));
			return errorPage(response, rejection.getStatusCode());
		}
		return (exception instanceof TypeMismatchException) ? errorPage(response, HttpStatus.BAD_REQUEST) : null;
	}

	private static ModelAndView errorPage(HttpServletResponse response, HttpStatusCode status) {
		try {
			response.sendError(status.value());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return new ModelAndView();
	}

	private static boolean acceptsHtml(HttpServletRequest request) {
		String accept = request.getHeader(HttpHeaders.ACCEPT);
		return accept != null && accept.contains(MediaType.TEXT_HTML_VALUE);
	}

}
