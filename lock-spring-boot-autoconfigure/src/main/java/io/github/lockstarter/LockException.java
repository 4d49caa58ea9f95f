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
 * The work was not done under its lock. Each subclass is one reason, with its own HTTP
 * status and problem type; neither its message nor its answer holds the key.
 * <p>
 * As a {@link ResponseStatusException} it is answered with the right status and headers
 * even where this library's own advice is absent.
 */
public abstract class LockException extends ResponseStatusException {

	private static final URI PROBLEMS = URI.create("https://lockstarter.github.io/problems/");

	private final String problem;

	private final String lockName;

	private final String message;

	protected LockException(HttpStatusCode status, String problem, String lockName, String message,
			@Nullable Throwable cause) {
		super(status, null, cause);
		this.problem = problem;
		this.lockName = lockName;
		this.message = message;
		setType(PROBLEMS.resolve(problem));
	}

	/**
	 * Returns the name of the lock.
	 */
	public String getLockName() {
		return this.lockName;
	}

	/**
	 * Returns after which time a retry may succeed, or {@code null} if nothing is known
	 * about it.
	 */
	public @Nullable Duration getRetryAfter() {
		return null;
	}

	@Override
	public String getMessage() {
		return this.message;
	}

	/** Returns the detail of the answer in English, for handlers that ignore the body. */
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
	 * Sets the title and the detail, in the language of the request. A text of the
	 * application comes before that of the library, which is there in English and
	 * Japanese.
	 */
	@Override
	public ProblemDetail updateAndGetBody(@Nullable MessageSource application, Locale locale) {
		ProblemDetail body = super.updateAndGetBody(application, locale);
		body.setTitle(message(getTitleMessageCode(), application, locale));
		body.setDetail(message(getDetailMessageCode(), application, locale));
		return body;
	}

	private static @Nullable String message(String code, @Nullable MessageSource application, Locale locale) {
		String own = (application != null) ? application.getMessage(code, null, null, locale) : null;
		return (own != null && !own.equals(code)) ? own : Library.MESSAGES.getMessage(code, null, null, locale);
	}

	/** Loaded where the request is answered, and not where the exception is made. */
	private static final class Library {

		private static final MessageSource MESSAGES = messages();

		private static MessageSource messages() {
			ResourceBundleMessageSource messages = new ResourceBundleMessageSource();
			messages.setBasename("io.github.lockstarter.web.messages");
			messages.setDefaultEncoding("UTF-8");
			messages.setFallbackToSystemLocale(false);
			// Otherwise that of the first web application to answer, which may end.
			messages.setBundleClassLoader(LockException.class.getClassLoader());
			return messages;
		}

	}

}
