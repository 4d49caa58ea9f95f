package io.github.lockstarter.registry.entry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.registry.request.AcquireRequest;
import io.github.lockstarter.store.StoredResult;

/**
 * The callers of a lock in this JVM, in the order of their arrival. Guarded by the
 * monitor of its lock.
 */
final class WaitQueue extends RequestQueue {

	/**
	 * The callers without a wait time that arrived while a store request was pending, or
	 * about to be sent. They are answered when it is known whether the lock is held.
	 * {@code null} if there never were any.
	 */
	private @Nullable RequestQueue tryLocks;

	/**
	 * The number of requests that count as waiters: those that accept a result do not.
	 */
	private int waiters;

	/** The number of requests for which it is not known yet whether the lock is held. */
	private int uncontended;

	@Override
	void add(AcquireRequest request) {
		super.add(request);
		this.waiters += (request.resultKey() == null) ? 1 : 0;
		this.uncontended += request.isContended() ? 0 : 1;
	}

	void addTryLock(AcquireRequest request) {
		if (this.tryLocks == null) {
			this.tryLocks = new RequestQueue();
		}
		this.tryLocks.add(request);
	}

	/** Returns whether the request was in the queue, or a try-lock. */
	@Override
	boolean remove(AcquireRequest request) {
		if (!super.remove(request)) {
			return this.tryLocks != null && this.tryLocks.remove(request);
		}
		this.waiters -= (request.resultKey() == null) ? 1 : 0;
		this.uncontended -= request.isContended() ? 0 : 1;
		return true;
	}

	/** Returns the head. If there is none, a try-lock becomes the head. */
	@Nullable AcquireRequest headOrTryLock() {
		RequestQueue tryLocks = isEmpty() ? this.tryLocks : null;
		AcquireRequest tryLock = (tryLocks != null) ? tryLocks.head() : null;
		if (tryLocks != null && tryLock != null) {
			tryLocks.remove(tryLock);
			add(tryLock);
		}
		return head();
	}

	/** Returns the callers that wait because the lock is held. */
	List<AcquireRequest> contended() {
		return toList().stream().filter(AcquireRequest::isContended).toList();
	}

	boolean hasRoomFor(AcquireRequest request, int max) {
		return request.resultKey() != null || this.waiters < max;
	}

	/** Removes the requests at the head that match the condition, and refuses them. */
	Step refuseHeads(Predicate<AcquireRequest> condition, Duration remaining) {
		List<AcquireRequest> refused = null;
		for (AcquireRequest head = head(); head != null && condition.test(head); head = head()) {
			refused = (refused != null) ? refused : new ArrayList<>(1);
			refused.add(head);
			remove(head);
		}
		return (refused != null) ? refuse(refused, remaining) : Step.NOTHING;
	}

	/** Removes the waiters whose wait has ended by that time, and refuses them. */
	Step refuseLate(long now, @Nullable AcquireRequest asker, Duration remaining) {
		List<AcquireRequest> late = toList().stream()
			.filter((request) -> request != asker && request.waits() && request.deadline() - now <= 0)
			.toList();
		late.forEach(this::remove);
		return refuse(late, remaining);
	}

	/** Removes the try-locks, and refuses them. */
	Step refuseTryLocks(Duration remaining) {
		RequestQueue tryLocks = this.tryLocks;
		if (tryLocks == null || tryLocks.isEmpty()) {
			return Step.NOTHING;
		}
		List<AcquireRequest> refused = tryLocks.toList();
		refused.forEach(tryLocks::remove);
		refused.forEach(AcquireRequest::meetContention);
		return refuse(refused, remaining);
	}

	static Step refuse(Collection<AcquireRequest> refused, Duration remaining) {
		return () -> refused.forEach((request) -> request.refuse(remaining));
	}

	/**
	 * Removes the callers that accept the result, and answers them with it.
	 * @param result the result, if there is any
	 * @param stored the earliest time at which it may have been stored
	 * @param asker the caller whose store request found it; {@code null} if there is none
	 */
	Step give(@Nullable StoredResult result, long stored, @Nullable AcquireRequest asker) {
		if (result == null) {
			return Step.NOTHING;
		}
		List<AcquireRequest> given = all().stream()
			.filter((request) -> request == asker || request.takes(result, stored))
			.toList();
		given.forEach(this::remove);
		return () -> given.forEach((request) -> request.give(result));
	}

	private List<AcquireRequest> all() {
		List<AcquireRequest> all = toList();
		if (this.tryLocks != null) {
			this.tryLocks.forEach(all::add);
		}
		return all;
	}

	/** Records the holder for every caller that had arrived by that time. */
	void noteHolder(long storeToken, long then) {
		forEach((request) -> {
			if (then - request.begin() >= 0) {
				request.noteHolder(storeToken);
			}
		});
	}

	/** The lock is held: all callers in the queue are contended. */
	Step held(Duration remaining) {
		if (this.uncontended > 0) {
			forEach(AcquireRequest::meetContention);
			this.uncontended = 0;
		}
		return refuseTryLocks(remaining);
	}

	/** Removes all callers, and fails them. */
	Step failAll(String message, @Nullable Throwable cause) {
		if (isEmpty() && this.tryLocks == null) {
			return Step.NOTHING;
		}
		List<AcquireRequest> failed = all();
		failed.forEach(this::remove);
		return fail(failed, message, cause);
	}

	/** Removes the callers behind the head, and fails them. */
	Step failTail(String message) {
		List<AcquireRequest> failed = toList();
		failed.remove(head());
		failed.forEach(this::remove);
		return fail(failed, message, null);
	}

	/**
	 * Each caller receives an exception of its own, because the exception carries the
	 * answer to one request.
	 */
	static Step fail(Collection<AcquireRequest> failed, String message, @Nullable Throwable cause) {
		return () -> failed.forEach((request) -> request.fail(message, cause));
	}

}
