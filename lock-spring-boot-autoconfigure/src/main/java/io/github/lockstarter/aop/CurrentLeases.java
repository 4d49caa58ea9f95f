package io.github.lockstarter.aop;

import java.util.ArrayDeque;
import java.util.Deque;

import org.springframework.core.NamedThreadLocal;

import io.github.lockstarter.Lease;

/**
 * The leases of the annotated methods that run on this thread, the innermost first.
 */
final class CurrentLeases {

	private static final ThreadLocal<Deque<Lease>> leases = NamedThreadLocal.withInitial("Leases of locks",
			ArrayDeque::new);

	private CurrentLeases() {
	}

	static Iterable<Lease> get() {
		return leases.get();
	}

	static void push(Lease lease) {
		leases.get().push(lease);
	}

	static void pop() {
		leases.get().pop();
		if (leases.get().isEmpty()) {
			leases.remove();
		}
	}

}
