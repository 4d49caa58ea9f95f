package io.github.lockstarter.operation;

import java.security.Principal;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.RequestTooLargeException;
import io.github.lockstarter.key.ArgumentFingerprint;
import io.github.lockstarter.key.LockInvocation;
import io.github.lockstarter.key.RequestContent;
import io.github.lockstarter.key.RequestFingerprint;
import io.github.lockstarter.result.Caller;

/**
 * Decides which calls with the same key are repetitions of each other: those of the same
 * caller, for the same content.
 */
final class ReplayScope {

	private static final Log logger = LogFactory.getLog(ReplayScope.class);

	/** Headers with which clients authenticate. */
	private static final List<String> CREDENTIALS = List.of(HttpHeaders.AUTHORIZATION, HttpHeaders.PROXY_AUTHORIZATION,
			"X-API-Key", "X-Auth-Token");

	private final String lockName;

	private final Supplier<ReplaySettings> settings;

	/** Compares the requests to a handler; {@code null} for other methods. */
	private final @Nullable RequestFingerprint request;

	private final Supplier<ArgumentFingerprint> arguments;

	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Creates a scope.
	 * @param request compares the requests to a handler; {@code null} for other methods
	 * @param arguments compares the arguments of other calls
	 */
	ReplayScope(String lockName, Supplier<ReplaySettings> settings, @Nullable RequestFingerprint request,
			Supplier<ArgumentFingerprint> arguments) {
		this.lockName = lockName;
		this.settings = settings;
		this.request = request;
		this.arguments = arguments;
	}

	/** Returns whether requests are compared, and not the arguments of calls. */
	boolean comparesRequests() {
		return this.request != null;
	}

	/**
	 * Returns the caller.
	 * @throws MissingLockKeyException if it has no principal, and needs one
	 * @throws RequestTooLargeException if its request is too large to be compared
	 */
	Caller of(LockInvocation call) {
		Principal principal = call.getPrincipal();
		if (principal == null && call.isInRequest() && this.settings.get().anonymous() == AnonymousReplay.REJECT) {
			throw MissingLockKeyException.withoutPrincipal(this.lockName);
		}
		String name = (principal != null) ? "user " + principal.getName() : "";
		String content = (principal != null) ? content(call) : credentials(call) + content(call);
		return new Caller(name, this.settings.get().fingerprint().of(content));
	}

	/** A handler may also be called by other code than its web framework. */
	private String content(LockInvocation call) {
		RequestContent content = (this.request != null) ? call.content() : null;
		if (content != null && content.body() == RequestContent.Body.TOO_LARGE) {
			throw new RequestTooLargeException(this.lockName);
		}
		return (content != null && this.request != null) ? this.request.of(content, call)
				: this.arguments.get().of(call);
	}

	/**
	 * Returns the credentials of a request without a principal, which the application
	 * checks itself. They count like content: a request with other credentials is not a
	 * repetition, and neither receives the response nor runs.
	 */
	private String credentials(LockInvocation call) {
		String credentials = CREDENTIALS.stream()
			.flatMap((name) -> call.headers(name).stream())
			.collect(Collectors.joining("\n"));
		if (!credentials.isEmpty() && this.warned.compareAndSet(false, true)) {
			logger
				.warn(("A request under lock '%s' carries credentials, but has no principal. Its response is replayed to"
						+ " requests with the same credentials only, and a request with the same key and others gets 422. Let"
						+ " getUserPrincipal() return the user, as Spring Security does, or put the user into the key")
					.formatted(this.lockName));
		}
		return credentials;
	}

}
