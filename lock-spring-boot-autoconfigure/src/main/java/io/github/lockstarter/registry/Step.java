package io.github.lockstarter.registry;

/**
 * What a transition of a {@link LocalLock} leads to, to be done when its monitor is free.
 */
@FunctionalInterface
interface Step {

	Step NOTHING = () -> {
	};

	void take();

	default Step then(Step next) {
		return () -> {
			take();
			next.take();
		};
	}

}
