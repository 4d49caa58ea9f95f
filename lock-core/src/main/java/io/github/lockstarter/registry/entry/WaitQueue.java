package io.github.lockstarter.registry.entry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.registry.acquisition.Acquisition;
import io.github.lockstarter.store.StoredResult;

/**
 * The callers of a lock in this instance, in the order of their arrival. Guarded by the
 * monitor of its lock.
 */
class WaitQueue extends AcquisitionQueue {

	/** A queue that stays empty, for all locks without callers in their queues. */
	static final WaitQueue EMPTY = new WaitQueue() {

		@Override
		void add(Acquisition acquisition) {
			throw new IllegalStateException("This queue is shared by many locks");
		}

		@Override
		void addTryLock(Acquisition acquisition) {
			add(acquisition);
		}

	};

	/**
	 * The callers without a wait time that arrived while a command to the store was
	 * pending, or about to be sent. They are answered when it is known whether the lock
	 * is held. {@code null} if there never were any.
	 */
	private @Nullable AcquisitionQueue tryLocks;

	/**
	 * The number of acquisitions that count as waiters: those that accept a result do
	 * not.
	 */
	private int waiters;

	/**
	 * The number of acquisitions for which it is not known yet whether the lock is held.
	 */
	private int uncontended;

	@Override
	void add(Acquisition acquisition) {
		super.add(acquisition);
		this.waiters += (acquisition.resultKey() == null) ? 1 : 0;
		this.uncontended += acquisition.isContended() ? 0 : 1;
	}

	void addTryLock(Acquisition acquisition) {
		if (this.tryLocks == null) {
			this.tryLocks = new AcquisitionQueue();
		}
		this.tryLocks.add(acquisition);
	}

	/** Returns whether the acquisition was in the queue, or a try-lock. */
	@Override
	boolean remove(Acquisition acquisition) {
		if (!super.remove(acquisition)) {
			return this.tryLocks != null && this.tryLocks.remove(acquisition);
		}
		this.waiters -= (acquisition.resultKey() == null) ? 1 : 0;
		this.uncontended -= acquisition.isContended() ? 0 : 1;
		return true;
	}

	/** Returns the head. If there is none, a try-lock becomes the head. */
	@Nullable Acquisition headOrTryLock() {
		AcquisitionQueue tryLocks = isEmpty() ? this.tryLocks : null;
		Acquisition tryLock = (tryLocks != null) ? tryLocks.head() : null;
		if (tryLocks != null && tryLock != null) {
			tryLocks.remove(tryLock);
			add(tryLock);
		}
		return head();
	}

	/** Returns the callers that wait because the lock is held. */
	List<Acquisition> contended() {
		return toList().stream().filter(Acquisition::isContended).toList();
	}

	boolean hasRoomFor(Acquisition acquisition, int max) {
		return acquisition.resultKey() != null || this.waiters < max;
	}

	/**
	 * Removes the acquisitions at the head that match the condition, and rejects them.
	 */
	Step rejectHeads(Predicate<Acquisition> condition, Duration remaining) {
		List<Acquisition> rejected = null;
		for (Acquisition head = head(); head != null && condition.test(head); head = head()) {
			rejected = (rejected != null) ? rejected : new ArrayList<>(1);
			rejected.add(head);
			remove(head);
		}
		return (rejected != null) ? reject(rejected, remaining) : Step.NOTHING;
	}

	/** Removes the waiters whose wait has ended by that time, and rejects them. */
	Step rejectLate(long now, @Nullable Acquisition asker, Duration remaining) {
		List<Acquisition> late = toList().stream()
			.filter((acquisition) -> acquisition != asker && acquisition.waits() && acquisition.deadline() - now <= 0)
			.toList();
		late.forEach(this::remove);
		return reject(late, remaining);
	}

	/** Removes the try-locks, and rejects them. */
	Step rejectTryLocks(Duration remaining) {
		AcquisitionQueue tryLocks = this.tryLocks;
		if (tryLocks == null || tryLocks.isEmpty()) {
			return Step.NOTHING;
		}
		List<Acquisition> rejected = tryLocks.toList();
		rejected.forEach(tryLocks::remove);
		return meetContention(rejected).then(reject(rejected, remaining));
	}

	/**
	 * Marks the caller as contended. Returns the step that notifies it, if it wants to be
	 * notified.
	 */
	static Step meetContention(Acquisition acquisition) {
		return acquisition.meetContention() ? acquisition::notifyOfContention : Step.NOTHING;
	}

	private static Step meetContention(Collection<Acquisition> acquisitions) {
		List<Acquisition> notified = acquisitions.stream().filter(Acquisition::meetContention).toList();
		return notified.isEmpty() ? Step.NOTHING : () -> notified.forEach(Acquisition::notifyOfContention);
	}

	static Step reject(Collection<Acquisition> rejected, Duration remaining) {
		return () -> rejected.forEach((acquisition) -> acquisition.reject(remaining));
	}

	/**
	 * Removes the callers that accept the result, and answers them with it.
	 * @param result the result, if there is any
	 * @param stored the earliest time at which it may have been stored
	 * @param asker the caller whose command found it; {@code null} if there is none
	 */
	Step give(@Nullable StoredResult result, long stored, @Nullable Acquisition asker) {
		if (result == null) {
			return Step.NOTHING;
		}
		List<Acquisition> given = all().stream()
			.filter((acquisition) -> acquisition == asker || acquisition.takes(result, stored))
			.toList();
		given.forEach(this::remove);
		return () -> given.forEach((acquisition) -> acquisition.give(result));
	}

	private List<Acquisition> all() {
		List<Acquisition> all = toList();
		if (this.tryLocks != null) {
			this.tryLocks.forEach(all::add);
		}
		return all;
	}

	/** Records the holder for every caller that had arrived by that time. */
	void noteHolder(long storeToken, long then) {
		forEach((acquisition) -> {
			if (then - acquisition.begin() >= 0) {
				acquisition.noteHolder(storeToken);
			}
		});
	}

	/** The lock is held: all callers in the queue are contended. */
	Step held(Duration remaining) {
		Step notification = Step.NOTHING;
		if (this.uncontended > 0) {
			notification = meetContention(toList());
			this.uncontended = 0;
		}
		return notification.then(rejectTryLocks(remaining));
	}

	/** Removes all callers, and fails them. */
	Step failAll(String message, @Nullable Throwable cause) {
		if (isEmpty() && this.tryLocks == null) {
			return Step.NOTHING;
		}
		List<Acquisition> failed = all();
		failed.forEach(this::remove);
		return fail(failed, message, cause);
	}

	/** Removes the callers behind the head, and fails them. */
	Step failTail(String message) {
		List<Acquisition> failed = toList();
		failed.remove(head());
		failed.forEach(this::remove);
		return fail(failed, message, null);
	}

	/**
	 * Each caller receives an exception of its own, because the exception carries the
	 * answer to one acquisition.
	 */
	static Step fail(Collection<Acquisition> failed, String message, @Nullable Throwable cause) {
		return () -> failed.forEach((acquisition) -> acquisition.fail(message, cause));
	}

}
