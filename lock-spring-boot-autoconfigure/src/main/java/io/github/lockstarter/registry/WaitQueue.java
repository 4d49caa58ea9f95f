package io.github.lockstarter.registry;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Those who want a lock in this JVM, in the order they came. Guarded by the monitor of
 * its lock.
 */
final class WaitQueue {

	private final Set<Waiter> waiters = new LinkedHashSet<>();

	void add(Waiter waiter) {
		this.waiters.add(waiter);
	}

	/** Returns whether the caller was in the queue. */
	boolean remove(Waiter waiter) {
		return this.waiters.remove(waiter);
	}

	@Nullable Waiter head() {
		return this.waiters.isEmpty() ? null : this.waiters.iterator().next();
	}

	boolean isEmpty() {
		return this.waiters.isEmpty();
	}

	int size() {
		return this.waiters.size();
	}

	/** Removes and returns all. */
	List<Waiter> removeAll() {
		List<Waiter> all = List.copyOf(this.waiters);
		this.waiters.clear();
		return all;
	}

	/** Removes and returns all but the head. */
	List<Waiter> removeTail() {
		List<Waiter> tail = this.waiters.stream().skip(1).toList();
		tail.forEach(this.waiters::remove);
		return tail;
	}

	/** Removes and returns those at the head of the queue whose wait is over. */
	List<Waiter> removeExpiredHeads() {
		List<Waiter> expired = new ArrayList<>(1);
		for (Waiter head = head(); head != null && head.left() <= 0; head = head()) {
			expired.add(head);
			remove(head);
		}
		return expired;
	}

}
