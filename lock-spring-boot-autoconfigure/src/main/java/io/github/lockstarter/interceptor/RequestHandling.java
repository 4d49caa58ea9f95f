package io.github.lockstarter.interceptor;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.completion.HandledRequest;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.RequestCompletion;
import io.github.lockstarter.operation.LockedMethod;

/**
 * The handling of a request, on its thread, by the call of an annotated method.
 */
public interface RequestHandling extends HandledRequest, HandlerResponse {

	/**
	 * Takes the leases for which the request has waited without a thread, if this call of
	 * the method is the one that waited.
	 * @return the leases; {@code null} if it is not, or they have been taken
	 */
	@Nullable HeldLeases takeResumed(LockedMethod method);

	/**
	 * Acquires the locks on this thread, or suspends the request until they are granted.
	 * @throws Exception a {@link io.github.lockstarter.LockException} if a lock is not
	 * granted, or the exception that suspends the request
	 */
	HeldLeases acquire(LockedCall call, LockAcquisition locks) throws Exception;

	/**
	 * Returns the leases that handlers whose dispatch encloses that of this handler hold
	 * until the end of the request, those of the innermost handler first. They can be
	 * joined.
	 */
	List<HeldLeases> enclosing();

	/** Marks that the handler is called under the leases. */
	void callUnder(HeldLeases leases);

	/** Returns the object that is notified of the end of the request. */
	RequestCompletion end();

}
