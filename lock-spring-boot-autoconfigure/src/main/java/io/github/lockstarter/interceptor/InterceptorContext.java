package io.github.lockstarter.interceptor;

import io.github.lockstarter.LockRegistry;

/**
 * The shared context of all calls of annotated methods.
 */
public final class InterceptorContext {

	private final LockRegistry registry;

	private final WaitGraph waits = new WaitGraph();

	private final CallObserver observer;

	private final CallerTasks tasks;

	/**
	 * Creates a context.
	 * @param registry the registry that grants the locks
	 * @param observer records calls that are refused, are skipped, or run without their
	 * lock
	 * @param tasks runs methods whose caller has left
	 */
	public InterceptorContext(LockRegistry registry, CallObserver observer, CallerTasks tasks) {
		this.registry = registry;
		this.observer = observer;
		this.tasks = tasks;
	}

	LockRegistry registry() {
		return this.registry;
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

}
