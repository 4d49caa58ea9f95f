package io.github.lockstarter.actuate;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;

import io.github.lockstarter.registry.observe.LockObservationContext;

/**
 * Records the wait times of attempts that waited for another holder, as the timer
 * {@code lock.wait}.
 */
public final class LockWaitTimer implements ObservationHandler<LockObservationContext> {

	private final Consumer<Consumer<MeterRegistry>> registry;

	/**
	 * Creates a timer.
	 * @param registry provides the meter registry, if there is one
	 */
	public LockWaitTimer(Consumer<Consumer<MeterRegistry>> registry) {
		this.registry = registry;
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof LockObservationContext;
	}

	@Override
	public void onStop(LockObservationContext context) {
		Duration waited = context.waited();
		if (waited != null) {
			List<Tag> tags = context.getLowCardinalityKeyValues()
				.stream()
				.map((each) -> Tag.of(each.getKey(), each.getValue()))
				.toList();
			this.registry.accept((registry) -> Timer.builder("lock.wait")
				.tags(tags)
				.description("The time that attempts waited for another holder")
				.register(registry)
				.record(waited));
		}
	}

}
