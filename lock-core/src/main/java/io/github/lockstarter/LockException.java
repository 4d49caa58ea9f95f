package io.github.lockstarter;

import java.net.URI;
import java.time.Duration;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import org.springframework.context.MessageSource;
import org.springframework.context.support.ResourceBundleMessageSource;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.web.server.ResponseStatusException;

/**
 * Base class of the exceptions for work that was not done under its lock. Each subclass
 * stands for one reason, with its own HTTP status and problem type. Neither the message
 * nor the response contains the key.
 * <p>
 * It is a {@link ResponseStatusException}, so that the response has the right status and
 * headers even if the exception advice of this library is absent.
 */
public abstract class LockException extends ResponseStatusException {

	/**
	 * The start of each problem type, before its last segment:
	 * {@value #PROBLEM_BASE_URI}.
	 */
	public static final String PROBLEM_BASE_URI = "https://lockstarter.github.io/problems/";

	private final String problem;

	private final String lockName;

	private final String message;

	/**
	 * Creates the exception.
	 * @param status the status of the response
	 * @param problem the last segment of the problem type
	 * @param lockName the name of the lock
	 * @param message the message, without the key
	 * @param cause the cause, if any
	 */
	protected LockException(HttpStatusCode status, String problem, String lockName, String message,
			@Nullable Throwable cause) {
		super(status, null, cause);
		this.problem = problem;
		this.lockName = lockName;
		this.message = message;
		setType(URI.create(PROBLEM_BASE_URI + problem));
	}

	/**
	 * Returns the name of the lock.
	 */
	public String getLockName() {
		return this.lockName;
	}

	/**
	 * Returns the time after which a retry may succeed, or {@code null} if it is unknown.
	 */
	public @Nullable Duration getRetryAfter() {
		return null;
	}

	@Override
	public String getMessage() {
		return this.message;
	}

	/**
	 * Returns the detail of the response in English, for exception handlers that ignore
	 * the body.
	 */
	@Override
	public @Nullable String getReason() {
		return message(getDetailMessageCode(), null, Locale.ROOT);
	}

	@Override
	public HttpHeaders getHeaders() {
		HttpHeaders headers = new HttpHeaders();
		headers.setCacheControl(CacheControl.noStore());
		Duration retryAfter = getRetryAfter();
		if (retryAfter != null) {
			headers.set(HttpHeaders.RETRY_AFTER, Long.toString(Math.max(1, retryAfter.plusMillis(999).toSeconds())));
		}
		return headers;
	}

	@Override
	public String getTitleMessageCode() {
		return "problemDetail.title.lock." + this.problem;
	}

	@Override
	public String getDetailMessageCode() {
		return "problemDetail.lock." + this.problem;
	}

	/**
	 * Sets the title and the detail in the language of the request. Messages of the
	 * application take precedence over those of the library, which exist in English and
	 * Japanese.
	 * @see #localizedBody
	 */
	@Override
	public ProblemDetail updateAndGetBody(@Nullable MessageSource application, Locale locale) {
		ProblemDetail body = super.updateAndGetBody(application, locale);
		body.setTitle(message(getTitleMessageCode(), application, locale));
		body.setDetail(message(getDetailMessageCode(), application, locale));
		return body;
	}

	/**
	 * Returns a copy of the body in the language of the request, and leaves this
	 * exception as it is: several requests may get the same exception.
	 * @see #updateAndGetBody
	 */
	public ProblemDetail localizedBody(@Nullable MessageSource application, Locale locale) {
		ProblemDetail own = getBody();
		ProblemDetail body = ProblemDetail.forStatus(own.getStatus());
		String type = (application != null) ? application.getMessage(getTypeMessageCode(), null, null, locale) : null;
		body.setType((type != null) ? URI.create(type) : own.getType());
		body.setTitle(message(getTitleMessageCode(), application, locale));
		body.setDetail(message(getDetailMessageCode(), application, locale));
		body.setInstance(own.getInstance());
		if (own.getProperties() != null) {
			own.getProperties().forEach(body::setProperty);
		}
		return body;
	}

	private static @Nullable String message(String code, @Nullable MessageSource application, Locale locale) {
		String own = (application != null) ? application.getMessage(code, null, null, locale) : null;
		return (own != null && !own.equals(code)) ? own : Library.MESSAGES.getMessage(code, null, null, locale);
	}

	/** Loaded when the first response is written, not when an exception is created. */
	private static final class Library {

		private static final MessageSource MESSAGES = messages();

		private static MessageSource messages() {
			ResourceBundleMessageSource messages = new ResourceBundleMessageSource();
			messages.setBasename("io.github.lockstarter.messages");
			messages.setDefaultEncoding("UTF-8");
			messages.setFallbackToSystemLocale(false);
			// The default is the class loader of the web application that responds first,
			// which may be stopped before others.
			messages.setBundleClassLoader(LockException.class.getClassLoader());
			return messages;
		}

	}

}
