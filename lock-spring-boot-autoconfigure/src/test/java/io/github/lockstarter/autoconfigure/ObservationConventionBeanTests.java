package io.github.lockstarter.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.registry.observe.DefaultLockObservationConvention;
import io.github.lockstarter.registry.observe.LockObservationContext;
import io.github.lockstarter.registry.observe.LockObservationConvention;

/**
 * A convention that is a bean of the application.
 */
class ObservationConventionBeanTests {

	private final List<String> observed = new CopyOnWriteArrayList<>();

	@Test
	@DisplayName("An application's convention sets the key values of observations")
	void bean() {
		ObservationRegistry observations = ObservationRegistry.create();
		observations.observationConfig().observationHandler(new ObservationHandler<LockObservationContext>() {

			@Override
			public void onStop(LockObservationContext context) {
				ObservationConventionBeanTests.this.observed
					.add(context.getName() + " in " + context.getLowCardinalityKeyValue("region"));
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return context instanceof LockObservationContext;
			}

		});
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
			.withPropertyValues("lock.store=memory")
			.withBean(ObservationRegistry.class, () -> observations)
			.withBean(LockObservationConvention.class, InEurope::new)
			.run((context) -> {
				context.getBean(LockRegistry.class).acquire("order:1").close();
				Awaitility.await()
					.until(() -> this.observed.stream()
						.filter((each) -> each.matches("lock\\.(acquire|hold) in .*eu.*"))
						.count() == 2);
			});
	}

	private static final class InEurope extends DefaultLockObservationConvention {

		@Override
		public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
			return super.getLowCardinalityKeyValues(context).and("region", "eu");
		}

	}

}
