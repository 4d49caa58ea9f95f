package io.github.lockstarter.aop;

import java.util.ArrayDeque;
import java.util.Deque;

import org.springframework.core.NamedThreadLocal;

import io.github.lockstarter.Lease;

/**
 * The leases under which this thread runs annotated methods or what they have returned,
 * the innermost first.
 */
final class CurrentLeases {

	private static final ThreadLocal<Deque<Holding>> holdings = NamedThreadLocal.withInitial("Leases of locks",
			ArrayDeque::new);

	private CurrentLeases() {
	}

	static Iterable<Holding> holdings() {
		return holdings.get();
	}

	static Iterable<Lease> get() {
		return holdings.get().stream().flatMap((holding) -> holding.leases().stream()).toList();
	}

	static void push(Holding holding) {
		holdings.get().push(holding);
	}

	static void pop() {
		holdings.get().pop();
		if (holdings.get().isEmpty()) {
			holdings.remove();
		}
	}

}
