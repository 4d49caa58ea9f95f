package io.github.lockstarter.registry;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;

import io.github.lockstarter.Lease;
import io.github.lockstarter.TokenLocks.TokenLock;
import io.github.lockstarter.registry.acquisition.Acquisition;
import io.github.lockstarter.registry.acquisition.Answer;
import io.github.lockstarter.registry.acquisition.Answer.Failed;
import io.github.lockstarter.registry.acquisition.Answer.GivenResult;
import io.github.lockstarter.registry.acquisition.Answer.HeldByToken;
import io.github.lockstarter.registry.acquisition.Answer.Leased;
import io.github.lockstarter.registry.acquisition.Answer.Rejected;
import io.github.lockstarter.registry.acquisition.Delivery;
import io.github.lockstarter.registry.sharing.SharingRegistry.ContentionListener;
import io.github.lockstarter.registry.sharing.SharingRegistry.LeaseOrResult;

/**
 * Turns the answers of the engine into what callers receive: a value, or an exception.
 */
final class CallerAnswers {

	private final ConflictFactory conflictFactory;

	CallerAnswers(ConflictFactory conflictFactory) {
		this.conflictFactory = conflictFactory;
	}

	/**
	 * Returns a delivery to a caller that blocks no thread.
	 * @param value returns the value of the result, or throws its failure
	 */
	static <T> Delivery async(CompletableFuture<T> result, BiFunction<Acquisition, Answer, T> value,
			Executor executor) {
		Executor caller = (executor instanceof ReliableExecutor reliable) ? reliable.executor() : executor;
		Runnable contention = (caller instanceof ContentionListener listener) ? listener::contended : null;
		return new Delivery.Async(executor, contention, (acquisition, given) -> {
			try {
				if (!result.complete(value.apply(acquisition, given))) {
					acquisition.giveBack(given);
				}
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		});
	}

	/** Returns the lease; empty if another caller holds the lock. */
	Optional<Lease> optionalLease(Acquisition acquisition, Answer given) {
		throwFailure(given);
		return (given instanceof Leased leased) ? Optional.of(leased.lease()) : Optional.empty();
	}

	Lease lease(Acquisition acquisition, Answer given) {
		throwRejection(acquisition, given);
		return ((Leased) given).lease();
	}

	LeaseOrResult leaseOrResult(Acquisition acquisition, Answer given) {
		throwRejection(acquisition, given);
		return (given instanceof GivenResult result) ? new LeaseOrResult(null, result.result())
				: new LeaseOrResult(((Leased) given).lease(), null);
	}

	TokenLock tokenLock(Acquisition acquisition, Answer given) {
		throwRejection(acquisition, given);
		return ((HeldByToken) given).lock();
	}

	private void throwRejection(Acquisition acquisition, Answer given) {
		throwFailure(given);
		if (given instanceof Rejected rejected) {
			throw this.conflictFactory.create(acquisition.key(), rejected.reason(), rejected.retryAfter());
		}
	}

	private static void throwFailure(Answer given) {
		if (given instanceof Failed failed) {
			throw failed.failure();
		}
	}

}
