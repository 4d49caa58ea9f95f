package io.github.lockstarter.registry.entry;

/**
 * What a transition of a {@link LockEntry} leads to, to be done when its monitor is free.
 */
@FunctionalInterface
interface Step {

	Step NOTHING = () -> {
	};

	void take();

	default Step then(Step next) {
		if (this == NOTHING || next == NOTHING) {
			return (this == NOTHING) ? next : this;
		}
		return () -> {
			take();
			next.take();
		};
	}

}
