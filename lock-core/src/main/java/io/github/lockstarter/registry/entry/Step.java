package io.github.lockstarter.registry.entry;

/**
 * The consequence of a transition of a {@link LockEntry}, which runs after its monitor is
 * released.
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
