package io.github.lockstarter.registry;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Makes the transitions of a {@link LocalLock} one at a time, and takes the steps they
 * lead to when the next may begin.
 */
final class Transitions {

	/** Not {@code synchronized}, which would pin virtual threads in Java 21 to 23. */
	private final Lock monitor = new ReentrantLock();

	void perform(Supplier<Step> transition) {
		Step next;
		this.monitor.lock();
		try {
			next = transition.get();
		}
		finally {
			this.monitor.unlock();
		}
		next.take();
	}

}
