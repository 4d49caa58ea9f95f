package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.observe.DefaultLockObservationConvention;
import io.github.lockstarter.registry.observe.LockObservationContext;
import io.github.lockstarter.registry.observe.LockObservationConvention;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The names and key values of lock observations.
 */
class ObservationConventionTests {

	private static final List<String> DEFAULTS = List.of("begin of lock.acquire {lock=team}",
			"lock.acquire {lock=team, outcome=granted}", "begin of lock.hold {lock=team}",
			"lock.hold {lock=team, outcome=released}");

	private final ObservationRegistry observations = ObservationRegistry.create();

	private final List<String> observed = new CopyOnWriteArrayList<>();

	private final List<@Nullable String> asked = new CopyOnWriteArrayList<>();

	private final VirtualRuntime runtime = new VirtualRuntime();

	private final DefaultLockRegistry locks = new DefaultLockRegistry(new MemoryLockStore(this.runtime::nanoTime),
			RegistrySettings.of(LockOptions.of(Duration.ofSeconds(10)))
				.withObservations(this.observations)
				.withRuntime(this.runtime));

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	@DisplayName("By default, observations have their documented names, the lock, and the outcome at the end")
	void defaults() {
		assertThat(observed()).containsExactlyElementsOf(DEFAULTS);
		assertThat(this.asked).containsExactly("lock.acquire", "lock.hold");
	}

	@Test
	@DisplayName("An application's convention replaces names and key values, and may extend the default")
	void replaced() {
		this.locks.setObservationConvention(new Own());
		assertThat(observed()).containsExactly("begin of mutex.acquire {lock=team, region=eu}",
				"mutex.acquire {lock=team, outcome=granted, region=eu} (acquire team) key=42",
				"begin of mutex.hold {lock=team, region=eu}",
				"mutex.hold {lock=team, outcome=released, region=eu} (hold team) key=42");
		assertThat(this.asked).containsExactly("mutex.acquire", "mutex.hold");
	}

	@Test
	@DisplayName("A convention for leases only leaves attempts to the default")
	void oneKind() {
		this.locks.setObservationConvention(new DefaultLockObservationConvention() {

			@Override
			public boolean supportsContext(Observation.Context context) {
				return context instanceof LockObservationContext of && of.isHold();
			}

			@Override
			public String getName() {
				return "mutex";
			}

		});
		assertThat(observed()).containsExactly(DEFAULTS.get(0), DEFAULTS.get(1), "begin of mutex {lock=team}",
				"mutex {lock=team, outcome=released}");
	}

	@Test
	@DisplayName("A global convention precedes the default, and the application's convention precedes both")
	void global() {
		this.observations.observationConfig().observationConvention(new Global());
		assertThat(observed()).containsExactly("begin of global {}", "global {team=granted}", "begin of global {}",
				"global {team=released}");
		this.observed.clear();
		this.locks.setObservationConvention(new DefaultLockObservationConvention());
		assertThat(observed()).containsExactlyElementsOf(DEFAULTS);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@DisplayName("When a convention throws or returns null, the default is used, and started observations stop")
	void failing(boolean throwing) {
		AtomicInteger asked = new AtomicInteger();
		this.locks.setObservationConvention(new Failing(throwing, asked));
		assertThat(observed()).containsExactlyElementsOf(DEFAULTS);
		assertThat(asked).hasPositiveValue();
	}

	@Test
	@DisplayName("A convention that fails in supportsContext is not used again")
	void failingToSupport() {
		this.locks.setObservationConvention(new DefaultLockObservationConvention() {

			@Override
			public boolean supportsContext(Observation.Context context) {
				throw new IllegalStateException("on purpose");
			}

			@Override
			public String getName() {
				return "mutex";
			}

		});
		assertThat(observed()).containsExactlyElementsOf(DEFAULTS);
	}

	/** Returns the observations of a lock that is acquired and released. */
	private List<String> observed() {
		if (this.asked.isEmpty()) {
			this.observations.observationConfig()
				.observationHandler(new Recorder())
				.observationPredicate((name, context) -> this.asked.add(name));
		}
		this.locks.acquire("team:42").close();
		this.runtime.settle();
		return List.copyOf(this.observed);
	}

	private static String text(Observation.Context context) {
		return context.getName() + context.getLowCardinalityKeyValues()
			.stream()
			.map((each) -> each.getKey() + "=" + each.getValue())
			.sorted()
			.collect(Collectors.joining(", ", " {", "}"));
	}

	private final class Recorder implements ObservationHandler<LockObservationContext> {

		@Override
		public void onStart(LockObservationContext context) {
			ObservationConventionTests.this.observed.add("begin of " + text(context));
		}

		@Override
		public void onStop(LockObservationContext context) {
			String contextual = context.getContextualName();
			String key = context.getHighCardinalityKeyValues()
				.stream()
				.map((each) -> " " + each.getKey() + "=" + each.getValue())
				.collect(Collectors.joining());
			ObservationConventionTests.this.observed
				.add(text(context) + ((contextual != null) ? " (" + contextual + ")" : "") + key);
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof LockObservationContext;
		}

	}

	private static final class Own extends DefaultLockObservationConvention {

		@Override
		public String getName(LockObservationContext context) {
			return super.getName(context).replace("lock", "mutex");
		}

		@Override
		public String getContextualName(LockObservationContext context) {
			return (context.isHold() ? "hold " : "acquire ") + context.key().name();
		}

		@Override
		public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
			return super.getLowCardinalityKeyValues(context).and("region", "eu");
		}

		@Override
		public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
			return KeyValues.of("key", context.key().key());
		}

	}

	private static final class Global implements GlobalObservationConvention<LockObservationContext> {

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof LockObservationContext;
		}

		@Override
		public String getName() {
			return "global";
		}

		@Override
		public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
			return (context.outcome() != null) ? KeyValues.of(context.key().name(), context.outcome().label())
					: KeyValues.empty();
		}

	}

	/** Fails in every method. */
	private record Failing(boolean throwing, AtomicInteger asked) implements LockObservationConvention {

		@Override
		public String getName(LockObservationContext context) {
			return fail();
		}

		@Override
		public String getContextualName(LockObservationContext context) {
			return fail();
		}

		@Override
		public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
			return fail();
		}

		@Override
		public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
			return fail();
		}

		@SuppressWarnings("NullAway") // as an application may that does not check
		private <T> T fail() {
			this.asked.incrementAndGet();
			if (this.throwing) {
				throw new AssertionError("on purpose");
			}
			return null;
		}

	}

}
