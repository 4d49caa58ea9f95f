package io.github.lockstarter;

import org.springframework.http.HttpStatus;

/**
 * The lease ended before the work did, so somebody else may hold the lock by now: status
 * 409. It is thrown when a transaction is about to commit whose lock was lost, which
 * rolls it back. Throw it, too, from work that finds {@link Lease#isHeld()} to be
 * {@code false} and must not go on.
 */
public class LeaseLostException extends LockException {

	public LeaseLostException(LockKey key) {
		super(HttpStatus.CONFLICT, "lease-lost", key.name(),
				"The lease of lock '%s' was lost before the work ended".formatted(key.name()), null);
	}

}
