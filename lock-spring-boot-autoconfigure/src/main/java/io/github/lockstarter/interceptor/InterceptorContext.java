package io.github.lockstarter.interceptor;

import java.util.function.Supplier;

import org.springframework.util.function.SingletonSupplier;

import io.github.lockstarter.LockRegistry;

/**
 * The shared context of all calls of annotated methods.
 */
public final class InterceptorContext {

	private final Supplier<LockRegistry> registry;

	private final WaitGraph waits = new WaitGraph();

	private final CallObserver observer;

	private final CallerTasks tasks;

	private final boolean untilResponse;

	/**
	 * Creates a context.
	 * @param registry returns the registry that grants the locks; not called before a
	 * call needs one
	 * @param observer records calls that are rejected, are skipped, or run without their
	 * lock
	 * @param tasks runs methods whose caller has left
	 * @param untilResponse whether handlers keep their locks until their response has
	 * been written
	 */
	public InterceptorContext(Supplier<LockRegistry> registry, CallObserver observer, CallerTasks tasks,
			boolean untilResponse) {
		this.registry = SingletonSupplier.of(registry);
		this.observer = observer;
		this.tasks = tasks;
		this.untilResponse = untilResponse;
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

	/**
	 * Returns whether handlers keep their locks until their response has been written.
	 */
	boolean untilResponse() {
		return this.untilResponse;
	}

}
