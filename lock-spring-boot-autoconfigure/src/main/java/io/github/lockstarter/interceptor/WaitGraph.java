package io.github.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
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
	 * @param wanted the locks that it waits for
	 * @throws LockDeadlockException if it would wait for itself
	 */
	synchronized Wait begin(Set<LockKey> held, Set<LockKey> wanted, LockOptions options, Method method) {
		Wait wait = new Wait(held, wanted, method);
		Wait last = lastBefore(wait, wanted, new HashSet<>());
		if (last != null) {
			LockKey first = wanted.iterator().next();
			throw new LockDeadlockException(first, options,
					"%s holds lock '%s' and waits for it, while %s holds it and waits for lock '%s'. Let both take the locks in the same order, or with two annotations on one method"
						.formatted(name(method), last.lockName(), name(last.method), last.lockName()));
		}
		this.waits.add(wait);
		return wait;
	}

	synchronized void end(Wait wait) {
		this.waits.remove(wait);
	}

	/** Returns the call that waits for the chain, and that the locks wait for. */
	private @Nullable Wait lastBefore(Wait chain, Set<LockKey> wanted, Set<Wait> seen) {
		for (Wait each : this.waits) {
			if (!Collections.disjoint(each.held, wanted) && seen.add(each)) {
				Wait last = !Collections.disjoint(chain.held, each.wanted) ? each
						: lastBefore(chain, each.wanted, seen);
				if (last != null) {
					return last;
				}
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

		private final Set<LockKey> wanted;

		private final Method method;

		private Wait(Set<LockKey> held, Set<LockKey> wanted, Method method) {
			this.held = held;
			this.wanted = wanted;
			this.method = method;
		}

		private String lockName() {
			return this.wanted.iterator().next().name();
		}

	}

}
