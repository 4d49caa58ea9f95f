package io.github.lockstarter.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.operation.LockedMethod;

/**
 * The locks of a handler that is about to be called, and whose arguments have not been
 * resolved. What the web framework loads for the handler is then loaded under the locks.
 */
public final class EarlyLocks {

	private final LockedMethod method;

	private final LockAcquisition locks;

	private final InterceptorContext context;

	private final CallChain chain;

	private final boolean untilResponse;

	/** The begin of the wait, if there is one. */
	private final long begin = System.nanoTime();

	EarlyLocks(LockedMethod method, LockAcquisition locks, InterceptorContext context, CallChain chain,
			boolean untilResponse) {
		this.method = method;
		this.locks = locks;
		this.context = context;
		this.chain = chain;
		this.untilResponse = untilResponse;
	}

	/** Returns the handler. */
	public LockedMethod method() {
		return this.method;
	}

	/** Returns whether the handler may have to wait for one of the locks. */
	public boolean mayWait() {
		return this.locks.mayWait();
	}

	/**
	 * Returns whether they are the locks that the call of the handler needs, now that its
	 * arguments are known.
	 */
	public boolean areThoseOf(LockAcquisition call) {
		return call.isFor(this.locks);
	}

	/**
	 * Releases leases on the locks, because the call of the handler needs others. The
	 * wait time of the call includes that for these locks.
	 */
	public void giveWayTo(LockAcquisition call, HeldLeases leases) {
		leases.abandon().toCompletableFuture().join();
		call.waitSince(this.begin);
	}

	/**
	 * Acquires the locks on this thread.
	 * @throws io.github.lockstarter.LockException if one is not granted
	 */
	public HeldLeases acquire() {
		return this.locks.acquire(this.context, this.chain, this.untilResponse);
	}

	/**
	 * Acquires the locks without blocking a thread.
	 * @param executor completes the future, except for an immediate refusal
	 */
	public CompletableFuture<HeldLeases> acquireAsync(Executor executor) {
		return this.locks.acquireAsync(this.context, this.chain, executor, this.untilResponse);
	}

}
