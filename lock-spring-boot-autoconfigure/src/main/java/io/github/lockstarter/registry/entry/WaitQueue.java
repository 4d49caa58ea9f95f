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
 * The callers that want a lock in this JVM, in the order they arrived. Guarded by the
 * monitor of its lock.
 */
final class WaitQueue extends RequestQueue {

	/**
	 * The callers that do not wait, and arrived while the store was being asked, or about
	 * to be: they are answered when it is known whether the lock is held. {@code null} if
	 * there never were any.
	 */
	private @Nullable RequestQueue tryLocks;

	/** How many requests keep others waiting: those that take a result do not. */
	private int waiters;

	/** Of how many requests it is not known yet whether the lock is held. */
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

	/** Returns the head; if there is none, a try-lock, which thereby becomes the head. */
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

	/** Removes the requests at the head to which it applies, and refuses them. */
	Step refuseHeads(Predicate<AcquireRequest> condition, Duration remaining) {
		List<AcquireRequest> refused = null;
		for (AcquireRequest head = head(); head != null && condition.test(head); head = head()) {
			refused = (refused != null) ? refused : new ArrayList<>(1);
			refused.add(head);
			remove(head);
		}
		return (refused != null) ? refuse(refused, remaining) : Step.NOTHING;
	}

	/** Removes the waiters whose wait is over at that time, and refuses them. */
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
	 * Removes the callers that take the result, and gives it to them.
	 * @param result the result, if there is any
	 * @param stored when it was stored, at the earliest
	 * @param asker the caller that asked the store for it; {@code null} if none did
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

	/** Every caller that was here by then has met that holder. */
	void noteHolder(long storeToken, long then) {
		forEach((request) -> {
			if (then - request.begin() >= 0) {
				request.noteHolder(storeToken);
			}
		});
	}

	/** The lock is held, so the callers that are here have met contention. */
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
	 * Each caller gets an exception of its own: it carries what is answered to one
	 * request.
	 */
	static Step fail(Collection<AcquireRequest> failed, String message, @Nullable Throwable cause) {
		return () -> failed.forEach((request) -> request.fail(message, cause));
	}

}
