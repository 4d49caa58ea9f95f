package io.github.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockDeadlockException;
import io.github.lockstarter.LockKey;

/**
 * Detects deadlocks: tracks the calls of this instance that wait for a lock while their
 * chain of calls may hold others. A call whose wait would close a cycle is rejected.
 */
final class WaitGraph {

	private final List<Wait> waits = new ArrayList<>();

	/**
	 * Begins to wait.
	 * @param chain the calls that enclose the waiting call
	 * @param acquired the locks that the call itself has acquired
	 * @param wanted the locks that the call waits for, in their order
	 * @return the wait; {@code null} if no other call can wait for this call
	 * @throws LockDeadlockException if the call would wait for itself
	 */
	@Nullable Wait begin(CallChain chain, Set<LockKey> acquired, List<LockKey> wanted, Method method) {
		Wait wait = new Wait(chain, acquired, wanted, method);
		boolean holds = !chain.isEmpty() || !acquired.isEmpty();
		if (!holds && wanted.size() == 1) {
			return null;
		}
		synchronized (this) {
			Wait last = holds ? lastBefore(wait, wanted, new HashSet<>()) : null;
			if (last != null) {
				throw new LockDeadlockException(wanted.get(0),
						"%1$s, or a call around it, holds lock '%2$s', for which %3$s waits. %3$s, directly or through other waiting calls, keeps lock '%4$s' from being released. Acquire the locks in the same order in all methods, or with several annotations on one method"
							.formatted(name(method), last.wantedFrom(wait), name(last.method), wanted.get(0).name()));
			}
			this.waits.add(wait);
		}
		return wait;
	}

	synchronized void end(Wait wait) {
		this.waits.remove(wait);
	}

	/**
	 * Returns the call of the cycle that waits for the chain; {@code null} if there is no
	 * cycle.
	 */
	private @Nullable Wait lastBefore(Wait chain, List<LockKey> wanted, Set<Wait> seen) {
		for (Wait each : this.waits) {
			if (wanted.stream().anyMatch(each::mayHold) && seen.add(each)) {
				Wait last = each.wanted.stream().anyMatch(chain::holds) ? each : lastBefore(chain, each.wanted, seen);
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

		private final CallChain chain;

		private final Set<LockKey> acquired;

		private final List<LockKey> wanted;

		private final Method method;

		private Wait(CallChain chain, Set<LockKey> acquired, List<LockKey> wanted, Method method) {
			this.chain = chain;
			this.acquired = acquired;
			this.wanted = wanted;
			this.method = method;
		}

		/** Outer calls may have ended and released their locks. */
		private boolean holds(LockKey key) {
			return this.acquired.contains(key) || this.chain.holds(key);
		}

		/** A call for several locks may hold some of them while it waits. */
		private boolean mayHold(LockKey key) {
			return holds(key) || (this.wanted.size() > 1 && this.wanted.contains(key));
		}

		/** Returns the name of a lock that this call waits for and the holder has. */
		private String wantedFrom(Wait holder) {
			return this.wanted.stream().filter(holder::holds).findFirst().orElseThrow().name();
		}

	}

}
