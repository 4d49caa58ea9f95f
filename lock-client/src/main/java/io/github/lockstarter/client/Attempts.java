package io.github.lockstarter.client;

import java.time.Duration;
import java.util.Optional;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpMethod;
import org.springframework.util.backoff.BackOffExecution;

/**
 * The attempts of one request.
 */
final class Attempts {

	private static final Log logger = LogFactory.getLog(Attempts.class);

	private final Retries retries;

	private final HttpMethod method;

	private final boolean repeatable;

	private final BackOffExecution backOff;

	private final long begun;

	Attempts(Retries retries, HttpMethod method, boolean repeatable) {
		this.retries = retries;
		this.method = method;
		this.repeatable = repeatable;
		this.backOff = retries.startBackOff();
		this.begun = retries.nanoTime();
	}

	/**
	 * Returns the delay before the next attempt; empty if the response is final.
	 */
	Optional<Duration> delayAfter(ReceivedResponse received) {
		boolean mayChange = received.isRejection() || (received.isUnavailable() && this.repeatable);
		return (mayChange && !received.isReplayed())
				? delay(received.retryAfter(this.retries.clock()), received.status().value()) : Optional.empty();
	}

	/**
	 * Returns the delay before the next attempt; empty if the failure is final.
	 */
	Optional<Duration> delayAfter(Throwable failure) {
		return this.repeatable ? delay(null, failure.getClass().getName()) : Optional.empty();
	}

	/** Returns a delay that is at least as long as the one that the response asks for. */
	private Optional<Duration> delay(@Nullable Duration told, Object outcome) {
		long millis = this.backOff.nextBackOff();
		if (millis == BackOffExecution.STOP) {
			return Optional.empty();
		}
		Duration half = Duration.ofMillis(millis).dividedBy(2);
		Duration least = (told != null) ? told : half;
		Duration left = this.retries.maxTime().minusNanos(this.retries.nanoTime() - this.begun);
		if (least.compareTo(left) > 0) {
			return Optional.empty();
		}
		Duration delay = shorter(left, least.plus(this.retries.nextJitter(longer(half, least.dividedBy(10)))));
		logger.debug("%s ended with %s, and is sent again in %dms".formatted(this.method, outcome, delay.toMillis()));
		return Optional.of(delay);
	}

	private static Duration longer(Duration one, Duration other) {
		return (one.compareTo(other) >= 0) ? one : other;
	}

	private static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) <= 0) ? one : other;
	}

}
