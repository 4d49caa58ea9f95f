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
 * Prepared answers to conflicts, which are sent without the exception handling of a web
 * framework. An answer is prepared after the exception handling has produced it twice in
 * the same way, for the same controller and for clients that accept the same media types.
 * It is used for one minute, so that changed messages of the application take effect.
 */
public final class PreparedConflicts {

	/** Clients choose the accepted media types, so the number is limited. */
	private static final int MAX_ANSWERS = 1_000;

	private static final int MAX_ACCEPTED_LENGTH = 500;

	private static final long MAX_AGE = TimeUnit.MINUTES.toNanos(1);

	private final Map<ConflictKind, Sample> samples = new ConcurrentHashMap<>();

	private final LongSupplier clock;

	/** Creates an instance without prepared answers. */
	public PreparedConflicts() {
		this(System::nanoTime);
	}

	PreparedConflicts(LongSupplier clock) {
		this.clock = clock;
	}

	/** Returns the answer to conflicts of a kind, if one is prepared. */
	public @Nullable PreparedConflict find(ConflictKind kind) {
		Sample sample = current(kind);
		return (sample != null && sample.confirmed) ? sample.answer : null;
	}

	/**
	 * Returns whether {@link #add} needs an answer to a conflict of this kind.
	 */
	public boolean wants(ConflictKind kind) {
		Sample sample = current(kind);
		return (sample == null || !sample.confirmed) && kind.accepted.toString().length() <= MAX_ACCEPTED_LENGTH;
	}

	private @Nullable Sample current(ConflictKind kind) {
		Sample sample = this.samples.get(kind);
		return (sample != null && sample.end - this.clock.getAsLong() > 0) ? sample : null;
	}

	/**
	 * Adds an answer that the exception handling has produced.
	 * @param answer the answer; {@code null} if conflicts of this kind cannot be prepared
	 */
	public void add(ConflictKind kind, @Nullable PreparedConflict answer) {
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
	 * An answer of the exception handling to conflicts of a kind.
	 *
	 * @param answer the answer; {@code null} if they cannot be prepared
	 * @param confirmed whether a second answer was the same
	 * @param end the time until which it is used
	 */
	private record Sample(@Nullable PreparedConflict answer, boolean confirmed, long end) {
	}

	/**
	 * Everything on which an answer depends, except for the path of the request and the
	 * retry delay.
	 *
	 * @param controller the type of the controller
	 * @param problem the type of the problem
	 * @param status the status of the answer
	 * @param locale the language of the answer
	 * @param accepted the media types that the client accepts, parsed or as in the header
	 */
	public record ConflictKind(Class<?> controller, URI problem, int status, Locale locale, List<?> accepted) {

		/**
		 * Returns the kind of a conflict.
		 * @return the kind; {@code null} if the answer also depends on something else
		 */
		public static @Nullable ConflictKind of(Class<?> controller, LockConflictException conflict, Locale locale,
				List<?> accepted) {
			ProblemDetail body = conflict.getBody();
			URI problem = body.getType();
			boolean plain = conflict.getClass() == LockConflictException.class && conflict.hasOwnStatusCode()
					&& body.getInstance() == null && body.getProperties() != null && body.getProperties().size() == 1;
			return (problem != null && plain)
					? new ConflictKind(controller, problem, conflict.getStatusCode().value(), locale, accepted) : null;
		}

	}

}
