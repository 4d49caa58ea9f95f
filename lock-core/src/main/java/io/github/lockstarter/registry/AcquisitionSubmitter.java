package io.github.lockstarter.registry;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.registry.acquisition.Acquisition;
import io.github.lockstarter.registry.acquisition.Answer;
import io.github.lockstarter.registry.acquisition.Delivery;
import io.github.lockstarter.registry.entry.LockEntriesByStore;

/**
 * Submits acquisitions, and waits for their answers on the threads of callers that block.
 */
final class AcquisitionSubmitter {

	private final LockEntriesByStore entries;

	private final Executor callbacks;

	/** For all threads that wait for an answer and are not limited. */
	private final Delivery blocking;

	private volatile WaitingThreadLimit waitingThreads = WaitingThreadLimit.UNLIMITED;

	/**
	 * Creates a submitter.
	 * @param callbacks notifies callers of the end of their leases
	 */
	AcquisitionSubmitter(LockEntriesByStore entries, Executor callbacks) {
		this.entries = entries;
		this.callbacks = callbacks;
		this.blocking = new Delivery.Blocking(callbacks, null);
	}

	/** Sets a limit for the threads that wait. */
	void limit(WaitingThreadLimit waitingThreads) {
		this.waitingThreads = waitingThreads;
	}

	/** Returns a delivery to this thread, which waits for the answer. */
	Delivery toThisThread(LockOptions options) {
		return (!options.waitTime().isZero() && this.waitingThreads.areLimited())
				? new Delivery.Blocking(this.callbacks, new CompletableFuture<>()) : this.blocking;
	}

	/**
	 * Submits an acquisition whose caller blocks no thread. The caller may give up at any
	 * time, even before the call, by completing the result itself.
	 */
	<T> CompletableFuture<T> submit(Acquisition acquisition, CompletableFuture<T> result) {
		this.entries.submit(acquisition);
		if (!acquisition.deliverRejection()) {
			result.whenComplete((value, failure) -> {
				if (acquisition.abandon()) {
					this.entries.leave(acquisition);
				}
			});
		}
		return result;
	}

	/** Submits an acquisition, and waits for its answer on this thread. */
	Answer await(Acquisition acquisition) {
		this.entries.submit(acquisition);
		try {
			return awaitAnswer(acquisition);
		}
		catch (InterruptedException ex) {
			if (acquisition.abandon()) {
				this.entries.leave(acquisition);
			}
			Thread.currentThread().interrupt();
			throw interrupted(acquisition, ex);
		}
	}

	/** Waits on this thread for the answer to an acquisition that was submitted. */
	Answer awaitAnswer(Acquisition acquisition) throws InterruptedException {
		if (!acquisition.awaitContention()) {
			return acquisition.await();
		}
		if (!this.waitingThreads.begin()) {
			this.entries.reject(acquisition);
			return acquisition.await();
		}
		try {
			return acquisition.await();
		}
		finally {
			this.waitingThreads.end();
		}
	}

	/** Returns the exception for the caller whose thread was interrupted. */
	static LockStoreException interrupted(Acquisition acquisition, InterruptedException cause) {
		return new LockStoreException(acquisition.key(), "interrupted while waiting for it", cause);
	}

}
