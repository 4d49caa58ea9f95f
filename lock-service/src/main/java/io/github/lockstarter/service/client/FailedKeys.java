package io.github.lockstarter.service.client;

import java.time.Duration;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Counts the wrong keys of each address. {@value #MOST} wrong keys per minute are
 * reported as unknown, further ones as too many. A valid key is never rejected, so this
 * is not a protection against guessing, which the length of the keys provides. It reports
 * a wrong configuration to the client, and to the operator once a minute.
 */
final class FailedKeys {

	private static final Log logger = LogFactory.getLog(FailedKeys.class);

	private static final int MOST = 30;

	private static final Duration PERIOD = Duration.ofMinutes(1);

	/** A caller with more addresses has more attempts, but does not use more memory. */
	private static final int MOST_ADDRESSES = 10_000;

	private final Cache<String, Bucket> attempts = Caffeine.newBuilder()
		.maximumSize(MOST_ADDRESSES)
		.expireAfterAccess(PERIOD)
		.build();

	/**
	 * Counts a failed attempt.
	 * @return the time until the next attempt; zero if this attempt was within the limit
	 */
	Duration count(String address) {
		ConsumptionProbe attempt = this.attempts.get(address, (each) -> bucket()).tryConsumeAndReturnRemaining(1);
		if (attempt.isConsumed() && attempt.getRemainingTokens() == 0) {
			logger.warn("Address %s has sent %d wrong API keys".formatted(address, MOST));
		}
		return Duration.ofNanos(attempt.getNanosToWaitForRefill());
	}

	private static Bucket bucket() {
		return Bucket.builder().addLimit((limit) -> limit.capacity(MOST).refillIntervally(MOST, PERIOD)).build();
	}

}
