package io.github.lockstarter.web;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.http.MediaType;

import io.github.lockstarter.LockConflictException;

/**
 * Answers to conflicts that are ready to be sent, without what a web framework does about
 * an exception. An answer gets here after the exception handling of the framework has
 * made it once, for the same handler and a client that accepts the same.
 */
public final class PreparedConflicts {

	/** Clients choose what they accept, so that there must be a limit. */
	private static final int MOST = 1_000;

	private static final int MOST_ACCEPTED = 10;

	private final Map<Kind, PreparedConflict> answers = new ConcurrentHashMap<>();

	/** Returns the answer to conflicts of a kind, if one is ready. */
	public @Nullable PreparedConflict find(Kind kind) {
		return this.answers.get(kind);
	}

	/**
	 * Prepares the answer to conflicts of a kind, unless there are too many already.
	 * @param conflict a conflict that was answered
	 * @param path the path of its request
	 * @param contentType the type of the body
	 * @param body the body of its answer
	 */
	public void prepare(Kind kind, LockConflictException conflict, String path, @Nullable String contentType,
			byte[] body) {
		PreparedConflict answer = PreparedConflict.of(contentType, body, path, conflict.getRetryAfter().toMillis());
		if (answer != null && this.answers.size() < MOST && kind.accepted.size() <= MOST_ACCEPTED) {
			this.answers.putIfAbsent(kind, answer);
		}
	}

	/**
	 * All that an answer depends on, except for the path of the request and the time
	 * after which to retry it.
	 *
	 * @param handler the handler of the request
	 * @param problem the type of the problem
	 * @param status the status of the answer
	 * @param locale the language of the answer
	 * @param accepted what the client accepts
	 */
	public record Kind(Object handler, @Nullable URI problem, int status, Locale locale, List<MediaType> accepted) {

		/** Returns the kind of a conflict. */
		public static Kind of(Object handler, LockConflictException conflict, Locale locale, List<MediaType> accepted) {
			return new Kind(handler, conflict.getBody().getType(), conflict.getStatusCode().value(), locale, accepted);
		}

	}

}
