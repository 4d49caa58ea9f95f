package io.github.lockstarter.registry;

import java.util.Optional;
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
		look(transition).take();
	}

	/** Returns whether there was a transition. */
	boolean performIfAny(Supplier<Optional<Step>> transition) {
		Optional<Step> next = look(transition);
		next.ifPresent(Step::take);
		return next.isPresent();
	}

	/** Returns what is seen between two transitions. */
	<T> T look(Supplier<T> view) {
		this.monitor.lock();
		try {
			return view.get();
		}
		finally {
			this.monitor.unlock();
		}
	}

}
