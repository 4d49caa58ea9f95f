package io.github.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockDeadlockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;

/**
 * The calls of this JVM that wait for a lock while their chain of calls holds others. A
 * call whose wait would close a circle is refused: none of them would ever go on.
 */
final class WaitGraph {

	private final List<Wait> waits = new ArrayList<>();

	/**
	 * Begins to wait.
	 * @param held the locks that the chain of calls holds
	 * @param wanted the lock that it waits for
	 * @throws LockDeadlockException if it would wait for itself
	 */
	synchronized Wait begin(Set<LockKey> held, LockKey wanted, LockOptions options, Method method) {
		Wait wait = new Wait(held, wanted, method);
		Wait last = lastBefore(wait, wanted, new HashSet<>());
		if (last != null) {
			throw new LockDeadlockException(wanted, options,
					"%s holds lock '%s' and waits for it, while %s holds it and waits for lock '%s'. Let both take the locks in the same order, or with two annotations on one method"
						.formatted(name(method), last.wanted.name(), name(last.method), last.wanted.name()));
		}
		this.waits.add(wait);
		return wait;
	}

	synchronized void end(Wait wait) {
		this.waits.remove(wait);
	}

	/** Returns the call that waits for the chain, and that the lock waits for. */
	private @Nullable Wait lastBefore(Wait chain, LockKey wanted, Set<LockKey> seen) {
		if (!seen.add(wanted)) {
			return null;
		}
		for (Wait each : this.waits) {
			if (each.held.contains(wanted)) {
				return chain.held.contains(each.wanted) ? each : lastBefore(chain, each.wanted, seen);
			}
		}
		return null;
	}

	/** Returns the name of a method for a message. */
	static String name(Method method) {
		return method.getDeclaringClass().getSimpleName() + "." + method.getName();
	}

	/** Compared by identity. */
	static final class Wait {

		private final Set<LockKey> held;

		private final LockKey wanted;

		private final Method method;

		private Wait(Set<LockKey> held, LockKey wanted, Method method) {
			this.held = held;
			this.wanted = wanted;
			this.method = method;
		}

	}

}
