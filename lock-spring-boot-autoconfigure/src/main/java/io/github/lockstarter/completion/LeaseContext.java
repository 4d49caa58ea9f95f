package io.github.lockstarter.completion;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.core.NamedThreadLocal;

/**
 * The leases under which this thread runs annotated methods or the work that they
 * returned, the innermost first.
 */
public final class LeaseContext {

	private static final ThreadLocal<@Nullable Deque<HeldLeases>> current = new NamedThreadLocal<>("Leases of locks");

	private LeaseContext() {
	}

	/** Returns the leases grouped by call. */
	public static Iterable<HeldLeases> all() {
		Deque<HeldLeases> leases = current.get();
		return (leases != null) ? leases : List.of();
	}

	/** Returns a snapshot of the leases, for work that continues on other threads. */
	public static List<HeldLeases> snapshot() {
		Deque<HeldLeases> leases = current.get();
		return (leases != null) ? List.copyOf(leases) : List.of();
	}

	/** Returns the leases of the innermost call. */
	public static @Nullable HeldLeases innermost() {
		Deque<HeldLeases> leases = current.get();
		return (leases != null) ? leases.peek() : null;
	}

	/**
	 * Marks that this thread begins to work under the leases.
	 * @throws io.github.lockstarter.LeaseLostException if a lease is no longer held, so
	 * that the work must not begin
	 */
	public static void push(HeldLeases held) {
		held.beginOnThread();
		Deque<HeldLeases> leases = current.get();
		if (leases == null) {
			leases = new ArrayDeque<>();
			current.set(leases);
		}
		leases.push(held);
	}

	/** Marks that the work under the innermost leases has ended. */
	public static void pop() {
		Deque<HeldLeases> leases = current.get();
		if (leases != null) {
			leases.pop();
			if (leases.isEmpty()) {
				current.remove();
			}
		}
	}

}
