package io.github.lockstarter.registry;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.acquisition.Acquisition;
import io.github.lockstarter.registry.entry.LockEntriesByStore;
import io.github.lockstarter.registry.sharing.SharedLease;

/**
 * The acquisition of several locks on a thread that waits for the answers.
 */
final class BlockingGroupAcquisition extends GroupAcquisition {

	private final AcquisitionSubmitter submitter;

	private final CallerAnswers answers;

	private final Function<LockKey, Acquisition> acquisitions;

	/**
	 * Creates an attempt.
	 * @param acquisitions creates the acquisition of a lock for this thread
	 */
	BlockingGroupAcquisition(LockEntriesByStore entries, LockOptions options, AcquisitionSubmitter submitter,
			CallerAnswers answers, Function<LockKey, Acquisition> acquisitions) {
		super(entries, options);
		this.submitter = submitter;
		this.answers = answers;
		this.acquisitions = acquisitions;
	}

	@Override
	Acquisition create(LockKey key, CompletableFuture<Lease> lease) {
		return this.acquisitions.apply(key);
	}

	@Override
	boolean await(CompletableFuture<List<Acquisition>> submitted) {
		try {
			for (Acquisition acquisition : submitted.get()) {
				lease(acquisition).complete(this.answers.lease(acquisition, this.submitter.awaitAnswer(acquisition)));
				granted(acquisition);
			}
			return true;
		}
		catch (InterruptedException ex) {
			// The releases are not interrupted.
			fail(AcquisitionSubmitter.interrupted(firstOpen(), ex));
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException ex) {
			fail(new IllegalStateException(ex));
		}
		catch (Throwable ex) {
			fail(ex);
		}
		return false;
	}

	/** Also waits on this thread for the releases. */
	@Override
	CompletableFuture<?> releaseUnused(List<SharedLease> leases) {
		leases.forEach(SharedLease::releaseUnused);
		leases.forEach(Lease::close);
		return CompletableFuture.completedFuture(null);
	}

}
