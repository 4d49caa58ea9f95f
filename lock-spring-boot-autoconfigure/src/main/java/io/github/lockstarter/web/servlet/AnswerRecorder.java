package io.github.lockstarter.web.servlet;

import java.io.IOException;
import java.util.List;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.util.StringUtils;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.util.ContentCachingResponseWrapper;

import io.github.lockstarter.completion.RequestCompletion;
import io.github.lockstarter.result.ResponseHead;
import io.github.lockstarter.result.SharedResult.Answered;

/**
 * Records the answer that the exception handling makes to a failure, where that is to be
 * kept for later duplicates. The other resolvers answer; what they write passes through.
 */
final class AnswerRecorder implements HandlerExceptionResolver {

	/** The identifier of a session is for one client only, like a cookie. */
	private static final String SESSION = "(?i);jsessionid=[^;/?#]*";

	private final List<HandlerExceptionResolver> resolvers;

	/**
	 * Creates a recorder, which has to come before all that answer.
	 * @param resolvers all resolvers, which may be added to
	 */
	AnswerRecorder(List<HandlerExceptionResolver> resolvers) {
		this.resolvers = resolvers;
	}

	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception exception) {
		if (!(request.getAttribute(RequestCompletion.ATTRIBUTE) instanceof RequestCompletion end) || !end.awaitsAnswer()
				|| response.isCommitted()) {
			return null;
		}
		RecordedResponse recorded = new RecordedResponse(response);
		ModelAndView answered = null;
		for (HandlerExceptionResolver each : this.resolvers) {
			answered = (answered != null || each == this) ? answered
					: each.resolveException(request, recorded, handler, exception);
		}
		if (recorded.errorPage != null) {
			keep(recorded.errorPage, end);
		}
		// What a view or another thread writes is not known yet.
		else if (answered != null && answered.isEmpty() && !request.isAsyncStarted()) {
			keep(Answered.withBody(head(response), recorded.getContentAsByteArray()), end);
		}
		recorded.write();
		return answered;
	}

	/**
	 * Keeps the answer to a request at its end, if it has not been kept yet, or reports
	 * that it cannot be.
	 * @param failure what nothing has handled
	 */
	static void keep(RequestCompletion end, HttpServletResponse response, @Nullable Exception failure) {
		if (failure != null) {
			keep(Answered.byErrorPage(HttpStatus.INTERNAL_SERVER_ERROR.value(), null), end);
		}
		else if (isRedirect(response)) {
			keep(Answered.withBody(head(response), new byte[0]), end);
		}
		else {
			end.answerLost("It is neither a redirect nor a body that the exception handling has written, but a page");
		}
	}

	/** The lock is free before the client has the answer. */
	private static void keep(Answered answer, RequestCompletion end) {
		end.answered(answer).toCompletableFuture().join();
	}

	private static boolean isRedirect(HttpServletResponse response) {
		return response.getStatus() / 100 == 3 && response.getHeader(HttpHeaders.LOCATION) != null;
	}

	private static ResponseHead head(HttpServletResponse response) {
		return ResponseHead.of(response.getStatus(), (name) -> values(name, response));
	}

	/** Returns the values of a header that has been set on the response. */
	static @Nullable List<String> values(String name, HttpServletResponse response) {
		if (name.equals(HttpHeaders.CONTENT_TYPE)) {
			String type = response.getContentType();
			return (type != null) ? List.of(type) : null;
		}
		return response.getHeaders(name)
			.stream()
			.map((value) -> name.equals(HttpHeaders.LOCATION) ? value.replaceAll(SESSION, "") : value)
			.toList();
	}

	private static final class RecordedResponse extends ContentCachingResponseWrapper {

		private @Nullable Answered errorPage;

		RecordedResponse(HttpServletResponse response) {
			super(response);
		}

		@Override
		public void sendError(int status) throws IOException {
			this.errorPage = Answered.byErrorPage(status, null);
			super.sendError(status);
		}

		@Override
		@SuppressWarnings("deprecation") // of the superclass
		public void sendError(int status, String message) throws IOException {
			this.errorPage = Answered.byErrorPage(status, StringUtils.hasLength(message) ? message : null);
			super.sendError(status, message);
		}

		/** Writes what has been recorded; a handler may have more to write. */
		void write() {
			try {
				copyBodyToResponse(false);
			}
			catch (IOException ex) {
				// The client has disconnected.
			}
		}

	}

}
