package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.store.LeftResult;

/**
 * Those who want a lock in this JVM, in the order they came. Guarded by the monitor of
 * its lock.
 */
final class WaitQueue {

	private final Set<Waiter> waiters = new LinkedHashSet<>();

	/**
	 * Those who do not wait, and came while the store was being asked, or about to be.
	 */
	private final List<Waiter> onlookers = new ArrayList<>(0);

	/** Those of whom is not known yet whether the lock they want is taken. */
	private final Set<Waiter> undecided = new LinkedHashSet<>(2);

	void add(Waiter waiter) {
		this.waiters.add(waiter);
	}

	void addOnlooker(Waiter onlooker) {
		this.onlookers.add(onlooker);
	}

	/** Returns whether the caller was in the queue. */
	boolean remove(Waiter waiter) {
		this.undecided.remove(waiter);
		return this.waiters.remove(waiter) || this.onlookers.remove(waiter);
	}

	@Nullable Waiter head() {
		return this.waiters.isEmpty() ? null : this.waiters.iterator().next();
	}

	/** Returns the head; if there is none, an onlooker, who thereby becomes the head. */
	@Nullable Waiter headOrOnlooker() {
		if (this.waiters.isEmpty() && !this.onlookers.isEmpty()) {
			this.waiters.add(this.onlookers.remove(0));
		}
		return head();
	}

	boolean isEmpty() {
		return this.waiters.isEmpty();
	}

	/** Returns what is to be seen of those who wait because the lock is taken. */
	List<LockSnapshot.Waiting> look() {
		return this.waiters.stream()
			.filter((waiter) -> !this.undecided.contains(waiter))
			.map((waiter) -> new LockSnapshot.Waiting(Duration.ofNanos(waiter.waited()), waiter.attempt().request()))
			.toList();
	}

	/** Those who want a result get it all at once, and keep nobody waiting. */
	boolean hasRoomFor(Waiter waiter, int max) {
		return waiter.slot() != null || this.waiters.size() < max
				|| this.waiters.stream().filter((each) -> each.slot() == null).count() < max;
	}

	/** Removes those at the head to whom it applies, and refuses them. */
	Step refuseHeads(Predicate<Waiter> condition, Duration remaining) {
		List<Waiter> refused = new ArrayList<>(1);
		for (Waiter head = head(); head != null && condition.test(head); head = head()) {
			refused.add(head);
			remove(head);
		}
		return refuse(refused, remaining);
	}

	/** Removes the onlookers, and refuses them. */
	Step refuseOnlookers(Duration remaining) {
		if (this.onlookers.isEmpty()) {
			return Step.NOTHING;
		}
		List<Waiter> refused = List.copyOf(this.onlookers);
		this.onlookers.clear();
		return refuse(refused, remaining);
	}

	static Step refuse(Collection<Waiter> refused, Duration remaining) {
		return () -> refused.forEach((waiter) -> waiter.refuse(remaining));
	}

	/**
	 * Removes those who want the result, and gives it to them.
	 * @param result the result, if there is any
	 * @param came when it came, at the earliest
	 * @param asker who asked for it; {@code null} if nobody did
	 */
	Step give(@Nullable LeftResult result, long came, @Nullable Waiter asker) {
		if (result == null) {
			return Step.NOTHING;
		}
		List<Waiter> given = Stream.concat(this.waiters.stream(), this.onlookers.stream())
			.filter((waiter) -> waiter == asker || waiter.wants(result, came))
			.toList();
		given.forEach(this::remove);
		return () -> given.forEach((waiter) -> waiter.give(result));
	}

	/** Counts one who wants the lock, now or when it is known whether it is taken. */
	void meet(Waiter waiter, boolean taken) {
		if (taken) {
			count(waiter);
		}
		else {
			this.undecided.add(waiter);
		}
	}

	/**
	 * Those who were here by then have met that holder; later ones may be told of him.
	 */
	void meetHolder(long storeToken, long then) {
		this.waiters.stream()
			.filter((waiter) -> then - waiter.attempt().begin() >= 0)
			.forEach((waiter) -> waiter.meetHolder(storeToken));
	}

	/** The lock is taken, so those who are here have met contention. */
	Step taken(Duration remaining) {
		this.undecided.forEach(this::count);
		this.undecided.clear();
		return refuseOnlookers(remaining);
	}

	private void count(Waiter waiter) {
		if (waiter.meetsContention()) {
			waiter.attempt().count(Event.CONTENDED);
		}
	}

	/** Removes everybody, and fails them. */
	Step failAll(String message, @Nullable Throwable cause) {
		List<Waiter> failed = new ArrayList<>(this.waiters);
		failed.addAll(this.onlookers);
		this.waiters.clear();
		this.onlookers.clear();
		return fail(failed, message, cause);
	}

	/** Removes those who wait behind the head, and fails them. */
	Step failTail(String message) {
		List<Waiter> failed = this.waiters.stream().skip(1).toList();
		failed.forEach(this::remove);
		return fail(failed, message, null);
	}

	/** Each gets an exception of its own: it carries what is answered to one request. */
	Step fail(Collection<Waiter> failed, String message, @Nullable Throwable cause) {
		return () -> failed.forEach((waiter) -> waiter.fail(message, cause));
	}

}
