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
 * Prepared responses to conflicts, which are sent without the exception handling of a web
 * framework. A response is prepared after the exception handling has produced it twice in
 * the same way, for the same controller and for clients that accept the same media types.
 * It is used for one minute, so that changed messages of the application take effect.
 */
public final class PreparedRejections {

	/** Clients choose the accepted media types, so the number is limited. */
	private static final int MAX_RESPONSES = 1_000;

	private static final int MAX_ACCEPTED_LENGTH = 500;

	private static final long MAX_AGE = TimeUnit.MINUTES.toNanos(1);

	private final Map<ConflictKind, Sample> samples = new ConcurrentHashMap<>();

	private final LongSupplier clock;

	/** Creates an instance without prepared responses. */
	public PreparedRejections() {
		this(System::nanoTime);
	}

	PreparedRejections(LongSupplier clock) {
		this.clock = clock;
	}

	/** Returns the response to conflicts of a kind, if one is prepared. */
	public @Nullable PreparedRejection find(ConflictKind kind) {
		Sample sample = current(kind);
		return (sample != null && sample.confirmed) ? sample.response : null;
	}

	/**
	 * Returns whether {@link #add} needs a response to a conflict of this kind.
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
	 * Adds a response that the exception handling has produced.
	 * @param response the response; {@code null} if conflicts of this kind cannot be
	 * prepared
	 */
	public void add(ConflictKind kind, @Nullable PreparedRejection response) {
		if (this.samples.size() >= MAX_RESPONSES) {
			this.samples.clear();
		}
		Sample first = current(kind);
		long end = this.clock.getAsLong() + MAX_AGE;
		if (response == null) {
			this.samples.put(kind, new Sample(null, true, end));
		}
		else if (first == null) {
			this.samples.put(kind, new Sample(response, false, end));
		}
		else if (first.response != null && !first.confirmed) {
			this.samples.put(kind, new Sample(first.response.isSameAs(response) ? response : null, true, end));
		}
	}

	/**
	 * A response of the exception handling to conflicts of a kind.
	 *
	 * @param response the response; {@code null} if they cannot be prepared
	 * @param confirmed whether a second response was the same
	 * @param end the time until which it is used
	 */
	private record Sample(@Nullable PreparedRejection response, boolean confirmed, long end) {
	}

	/**
	 * Everything on which a response depends, except for the path of the request and the
	 * retry delay.
	 *
	 * @param controller the type of the controller
	 * @param problem the type of the problem
	 * @param status the status of the response
	 * @param locale the language of the response
	 * @param accepted the media types that the client accepts, parsed or as in the header
	 */
	public record ConflictKind(Class<?> controller, URI problem, int status, Locale locale, List<?> accepted) {

		/**
		 * Returns the kind of a conflict.
		 * @return the kind; {@code null} if the conflict has no status of its own, or the
		 * response also depends on something else
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
