package io.github.lockstarter.completion;

import java.util.ArrayDeque;
import java.util.Deque;

import org.springframework.core.NamedThreadLocal;

import io.github.lockstarter.Lease;

/**
 * The leases under which this thread runs annotated methods or what they have returned,
 * the innermost first.
 */
public final class LeaseContext {

	private static final ThreadLocal<Deque<HeldLeases>> current = NamedThreadLocal.withInitial("Leases of locks",
			ArrayDeque::new);

	private LeaseContext() {
	}

	/** Returns them, by call. */
	public static Iterable<HeldLeases> all() {
		return current.get();
	}

	/** Returns the single leases. */
	public static Iterable<Lease> leases() {
		return current.get().stream().flatMap((each) -> each.leases().stream()).toList();
	}

	/** The thread begins to work under the leases. */
	public static void push(HeldLeases leases) {
		current.get().push(leases);
	}

	/** The thread has worked under the innermost leases. */
	public static void pop() {
		current.get().pop();
		if (current.get().isEmpty()) {
			current.remove();
		}
	}

}
