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
 * The callers that want a lock in this JVM, in the order they came. Guarded by the
 * monitor of its lock.
 */
final class WaitQueue {

	private final RequestQueue requests = new RequestQueue();

	/**
	 * The callers that do not wait, and came while the store was being asked, or about to
	 * be: they are answered when it is known whether the lock is held.
	 */
	private final RequestQueue tryLocks = new RequestQueue();

	/** How many requests keep others waiting: those that take a result do not. */
	private int waiters;

	/** Of how many requests it is not known yet whether the lock is held. */
	private int uncontended;

	void add(AcquireRequest request) {
		this.requests.add(request);
		this.waiters += (request.resultKey() == null) ? 1 : 0;
		this.uncontended += request.isContended() ? 0 : 1;
	}

	void addTryLock(AcquireRequest request) {
		this.tryLocks.add(request);
	}

	/** Returns whether the request was in the queue. */
	boolean remove(AcquireRequest request) {
		if (!this.requests.remove(request)) {
			return this.tryLocks.remove(request);
		}
		this.waiters -= (request.resultKey() == null) ? 1 : 0;
		this.uncontended -= request.isContended() ? 0 : 1;
		return true;
	}

	@Nullable AcquireRequest head() {
		return this.requests.head();
	}

	/** Returns the head; if there is none, a try-lock, which thereby becomes the head. */
	@Nullable AcquireRequest headOrTryLock() {
		AcquireRequest tryLock = this.requests.isEmpty() ? this.tryLocks.head() : null;
		if (tryLock != null) {
			this.tryLocks.remove(tryLock);
			add(tryLock);
		}
		return head();
	}

	/** Returns whether nobody waits; try-locks do not count. */
	boolean isEmpty() {
		return this.requests.isEmpty();
	}

	/** Returns the callers that wait because the lock is held. */
	List<AcquireRequest> contended() {
		return this.requests.toList().stream().filter(AcquireRequest::isContended).toList();
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

	/** Removes the try-locks, and refuses them. */
	Step refuseTryLocks(Duration remaining) {
		if (this.tryLocks.isEmpty()) {
			return Step.NOTHING;
		}
		List<AcquireRequest> refused = this.tryLocks.toList();
		refused.forEach(this.tryLocks::remove);
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
		List<AcquireRequest> all = this.requests.toList();
		this.tryLocks.forEach(all::add);
		List<AcquireRequest> given = all.stream()
			.filter((request) -> request == asker || request.takes(result, stored))
			.toList();
		given.forEach(this::remove);
		return () -> given.forEach((request) -> request.give(result));
	}

	/** Every caller that was here by then has met that holder. */
	void noteHolder(long storeToken, long then) {
		this.requests.forEach((request) -> {
			if (then - request.begin() >= 0) {
				request.noteHolder(storeToken);
			}
		});
	}

	/** The lock is held, so the callers that are here have met contention. */
	Step held(Duration remaining) {
		if (this.uncontended > 0) {
			this.requests.forEach(AcquireRequest::meetContention);
			this.uncontended = 0;
		}
		return refuseTryLocks(remaining);
	}

	/** Removes all callers, and fails them. */
	Step failAll(String message, @Nullable Throwable cause) {
		List<AcquireRequest> failed = this.requests.toList();
		this.tryLocks.forEach(failed::add);
		failed.forEach(this::remove);
		return fail(failed, message, cause);
	}

	/** Removes the callers behind the head, and fails them. */
	Step failTail(String message) {
		List<AcquireRequest> failed = this.requests.toList();
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
