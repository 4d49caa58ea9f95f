package io.github.lockstarter;

import org.springframework.http.HttpStatus;

/**
 * Thrown when a lease ended before the work under it, so that another holder may have the
 * lock. The response has status 409. It is thrown right before the work begins, which
 * then does not begin, and before the commit of a transaction whose lock was lost, which
 * rolls the transaction back. Applications can throw it from work that must not continue
 * once {@link Lease#isHeld()} is {@code false}.
 */
public class LeaseLostException extends LockException {

	/**
	 * Creates the exception.
	 * @param key the lock
	 */
	public LeaseLostException(LockKey key) {
		super(HttpStatus.CONFLICT, "lease-lost", key.name(),
				"The lease of lock '%s' was lost before the work ended".formatted(key.name()), null);
	}

}
