package io.github.lockstarter.store;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A handle on a lock that tokens of applications can hold. All handles of a store that
 * {@linkplain Capability#HOLDS_FOR_TOKENS holds locks for tokens} are of this type.
 */
public interface TokenStoredLock extends StoredLock {

	/**
	 * Returns the remaining time of the lock, for any owner.
	 * @return a stage that completes with the remaining time, zero if it is unknown; with
	 * empty if the lock is free
	 */
	CompletionStage<Optional<Duration>> remaining();

}
