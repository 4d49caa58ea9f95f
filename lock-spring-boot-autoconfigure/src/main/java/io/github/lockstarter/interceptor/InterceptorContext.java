package io.github.lockstarter.interceptor;

import java.util.function.Supplier;

import org.springframework.util.function.SingletonSupplier;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.completion.ReleaseOn;

/**
 * The shared context of all calls of annotated methods.
 */
public final class InterceptorContext {

	private final Supplier<LockRegistry> registry;

	private final WaitGraph waits = new WaitGraph();

	private final CallObserver observer;

	private final CallerTasks tasks;

	private final ReleaseOn releaseOn;

	/**
	 * Creates a context.
	 * @param registry returns the registry that grants the locks; not called before a
	 * call needs one
	 * @param observer records calls that are rejected, are skipped, or run without their
	 * lock
	 * @param tasks runs methods whose caller has left
	 * @param releaseOn what ends the locks of handlers
	 */
	public InterceptorContext(Supplier<LockRegistry> registry, CallObserver observer, CallerTasks tasks,
			ReleaseOn releaseOn) {
		this.registry = SingletonSupplier.of(registry);
		this.observer = observer;
		this.tasks = tasks;
		this.releaseOn = releaseOn;
	}

	LockRegistry registry() {
		return this.registry.get();
	}

	/** Returns the calls that wait while their chain holds other locks. */
	WaitGraph waits() {
		return this.waits;
	}

	CallObserver observer() {
		return this.observer;
	}

	CallerTasks tasks() {
		return this.tasks;
	}

	/** Returns what ends the locks of handlers. */
	ReleaseOn releaseOn() {
		return this.releaseOn;
	}

}
