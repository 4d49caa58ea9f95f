package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;

/**
 * Those who want a lock in this JVM, in the order they came. Guarded by the monitor of
 * its lock.
 */
final class WaitQueue {

	private final Set<Waiter> waiters = new LinkedHashSet<>();

	/**
	 * Those who do not wait, and came while the store was being asked: does it answer?
	 */
	private final List<Waiter> onlookers = new ArrayList<>(0);

	private final LockKey key;

	private final LockCounts counts;

	WaitQueue(LockKey key, LockCounts counts) {
		this.key = key;
		this.counts = counts;
	}

	void add(Waiter waiter) {
		this.waiters.add(waiter);
	}

	void addOnlooker(Waiter onlooker) {
		this.onlookers.add(onlooker);
	}

	/** Returns whether the caller was in the queue. */
	boolean remove(Waiter waiter) {
		return this.waiters.remove(waiter) || this.onlookers.remove(waiter);
	}

	@Nullable Waiter head() {
		return this.waiters.isEmpty() ? null : this.waiters.iterator().next();
	}

	boolean isEmpty() {
		return this.waiters.isEmpty();
	}

	/** Those who want a result get it all at once, and do not keep each other waiting. */
	boolean hasRoomFor(Waiter waiter, int max) {
		return waiter.slot() != null || this.waiters.size() < max;
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
	 * Removes those who want the result, and gives it to them. Onlookers who do not have
	 * to ask themselves: it says nothing about the lock.
	 */
	Step give(LeftResult result, Duration age) {
		this.waiters.addAll(this.onlookers);
		this.onlookers.clear();
		List<Waiter> given = this.waiters.stream().filter((waiter) -> waiter.wants(result, age)).toList();
		given.forEach(this.waiters::remove);
		return () -> given.forEach((waiter) -> waiter.give(result));
	}

	/** Counts each caller once. */
	void countContention(@Nullable Waiter waiter) {
		if (waiter != null && waiter.meetsContention()) {
			this.counts.add(this.key.name(), Event.CONTENDED);
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

	/** Removes all behind the head, and fails them. */
	Step failTail(String message) {
		List<Waiter> failed = this.waiters.stream().skip(1).toList();
		failed.forEach(this.waiters::remove);
		return fail(failed, message, null);
	}

	/** Each gets an exception of its own: it carries what is answered to one request. */
	Step fail(Collection<Waiter> failed, String message, @Nullable Throwable cause) {
		return () -> failed.forEach((waiter) -> waiter.fail(new LockStoreException(this.key, message, cause)));
	}

}
