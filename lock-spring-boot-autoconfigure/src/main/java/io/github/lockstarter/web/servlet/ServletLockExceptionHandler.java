package io.github.lockstarter.web.servlet;

import java.io.IOException;
import java.util.Collections;

import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.ServletWebRequest;

import io.github.lockstarter.LockException;
import io.github.lockstarter.web.AcceptHeader;
import io.github.lockstarter.web.LockProblems;

/**
 * Responds to a lock exception in Spring MVC: with problem details for programs, and for
 * browsers with the application's HTML error page, with the same status and headers.
 */
abstract class ServletLockExceptionHandler {

	/** The name of the attribute with the exception that was handled. */
	static final String RESPONDED = ServletLockExceptionHandler.class.getName() + ".responded";

	private final LockProblems problems;

	ServletLockExceptionHandler(LockProblems problems) {
		this.problems = problems;
	}

	final @Nullable ResponseEntity<ProblemDetail> respond(LockException exception, ServletWebRequest request)
			throws IOException {
		ProblemDetail body = this.problems.describe(exception, LocaleContextHolder.getLocale());
		request.getRequest().setAttribute(RESPONDED, exception);
		HttpServletResponse response = request.getResponse();
		if (response != null && prefersHtml(request)) {
			exception.getHeaders()
				.forEach((name, values) -> values.forEach((value) -> response.addHeader(name, value)));
			response.sendError(exception.getStatusCode().value(), body.getDetail());
			return null;
		}
		return ResponseEntity.status(exception.getStatusCode()).headers(exception.getHeaders()).body(body);
	}

	private static boolean prefersHtml(ServletWebRequest request) {
		return AcceptHeader.prefersHtml(Collections.list(request.getRequest().getHeaders(HttpHeaders.ACCEPT)));
	}

}
