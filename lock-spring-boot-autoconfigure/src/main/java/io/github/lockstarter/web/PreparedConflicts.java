package io.github.lockstarter.web;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import org.springframework.http.ProblemDetail;

import io.github.lockstarter.LockConflictException;

/**
 * Answers to conflicts that are ready to be sent, without the exception handling of a web
 * framework. An answer is ready after the exception handling has made it twice in the
 * same way, for the same controller and for clients that accept the same. It is used for
 * a minute, so that a change of the application's messages shows.
 */
public final class PreparedConflicts {

	/** Clients choose what they accept, so the number has a limit. */
	private static final int MAX_ANSWERS = 1_000;

	private static final int MAX_ACCEPTED_LENGTH = 500;

	private static final long MAX_AGE = TimeUnit.MINUTES.toNanos(1);

	private final Map<Kind, Sample> samples = new ConcurrentHashMap<>();

	private final LongSupplier clock;

	/** Creates the answers, none of which is ready. */
	public PreparedConflicts() {
		this(System::nanoTime);
	}

	PreparedConflicts(LongSupplier clock) {
		this.clock = clock;
	}

	/** Returns the answer to conflicts of a kind, if one is ready. */
	public @Nullable PreparedConflict find(Kind kind) {
		Sample sample = current(kind);
		return (sample != null && sample.confirmed) ? sample.answer : null;
	}

	/**
	 * Returns whether {@link #add} has use for an answer to a conflict of this kind.
	 */
	public boolean wants(Kind kind) {
		Sample sample = current(kind);
		return (sample == null || !sample.confirmed) && kind.accepted.toString().length() <= MAX_ACCEPTED_LENGTH;
	}

	private @Nullable Sample current(Kind kind) {
		Sample sample = this.samples.get(kind);
		return (sample != null && sample.end - this.clock.getAsLong() > 0) ? sample : null;
	}

	/**
	 * Adds an answer that the exception handling has made.
	 * @param answer {@code null} if conflicts of this kind cannot be prepared
	 */
	public void add(Kind kind, @Nullable PreparedConflict answer) {
		if (this.samples.size() >= MAX_ANSWERS) {
			this.samples.clear();
		}
		Sample first = current(kind);
		long end = this.clock.getAsLong() + MAX_AGE;
		if (answer == null) {
			this.samples.put(kind, new Sample(null, true, end));
		}
		else if (first == null) {
			this.samples.put(kind, new Sample(answer, false, end));
		}
		else if (first.answer != null && !first.confirmed) {
			this.samples.put(kind, new Sample(first.answer.isSameAs(answer) ? answer : null, true, end));
		}
	}

	/**
	 * What the exception handling has made of conflicts of a kind.
	 *
	 * @param answer {@code null} if they cannot be prepared
	 * @param confirmed whether this is known to hold for the next one
	 * @param end the time until which it holds
	 */
	private record Sample(@Nullable PreparedConflict answer, boolean confirmed, long end) {
	}

	/**
	 * All that an answer depends on, except for the path of the request and the time
	 * after which to retry it.
	 *
	 * @param controller the type of the controller
	 * @param problem the type of the problem
	 * @param status the status of the answer
	 * @param locale the language of the answer
	 * @param accepted what the client accepts, as media types or as in the header
	 */
	public record Kind(Class<?> controller, URI problem, int status, Locale locale, List<?> accepted) {

		/**
		 * Returns the kind of a conflict.
		 * @return {@code null} if the answer depends on something else, too
		 */
		public static @Nullable Kind of(Class<?> controller, LockConflictException conflict, Locale locale,
				List<?> accepted) {
			ProblemDetail body = conflict.getBody();
			URI problem = body.getType();
			boolean plain = conflict.getClass() == LockConflictException.class && body.getInstance() == null
					&& body.getProperties() != null && body.getProperties().size() == 1;
			return (problem != null && plain)
					? new Kind(controller, problem, conflict.getStatusCode().value(), locale, accepted) : null;
		}

	}

}
