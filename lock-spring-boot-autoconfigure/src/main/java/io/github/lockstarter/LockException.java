package io.github.lockstarter;

import java.net.URI;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
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

}
