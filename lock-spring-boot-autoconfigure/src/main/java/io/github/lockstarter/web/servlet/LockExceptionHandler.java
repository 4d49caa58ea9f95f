package io.github.lockstarter.web.servlet;

import java.io.IOException;
import java.util.List;

import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.accept.HeaderContentNegotiationStrategy;
import org.springframework.web.context.request.ServletWebRequest;

import io.github.lockstarter.LockException;
import io.github.lockstarter.web.LockProblems;

/**
 * Answers a lock exception in Spring MVC: programs get problem details, a browser gets
 * the application's HTML error page with the same status and headers.
 */
abstract class LockExceptionHandler {

	private static final HeaderContentNegotiationStrategy acceptHeader = new HeaderContentNegotiationStrategy();

	private final LockProblems problems;

	LockExceptionHandler(LockProblems problems) {
		this.problems = problems;
	}

	final @Nullable ResponseEntity<ProblemDetail> answer(LockException exception, ServletWebRequest request)
			throws IOException {
		ProblemDetail body = this.problems.describe(exception, LocaleContextHolder.getLocale());
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
		for (MediaType accepted : acceptedTypes(request)) {
			if (accepted.includes(MediaType.APPLICATION_PROBLEM_JSON)
					|| accepted.includes(MediaType.APPLICATION_JSON)) {
				return false;
			}
			if (accepted.includes(MediaType.TEXT_HTML)) {
				return true;
			}
		}
		return false;
	}

	private static List<MediaType> acceptedTypes(ServletWebRequest request) {
		try {
			return acceptHeader.resolveMediaTypes(request);
		}
		catch (HttpMediaTypeNotAcceptableException ex) {
			return List.of();
		}
	}

}
