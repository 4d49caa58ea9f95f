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

	private static final ThreadLocal<Deque<HeldLeases>> current = NamedThreadLocal.withInitial("Leases of locks",
			ArrayDeque::new);

	private LeaseContext() {
	}

	/** Returns the leases grouped by call. */
	public static Iterable<HeldLeases> all() {
		return current.get();
	}

	/** Returns the leases as they are now, for work that this thread leaves to others. */
	public static List<HeldLeases> snapshot() {
		return List.copyOf(current.get());
	}

	/** Returns the leases of the innermost call. */
	public static @Nullable HeldLeases innermost() {
		return current.get().peek();
	}

	/** Marks that this thread begins to work under the leases. */
	public static void push(HeldLeases leases) {
		leases.beginOnThread();
		current.get().push(leases);
	}

	/** Marks that the work under the innermost leases has ended. */
	public static void pop() {
		current.get().pop();
		if (current.get().isEmpty()) {
			current.remove();
		}
	}

}
