package io.github.lockstarter.store;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PauseAwareClockTests {

	/** A clock may have any origin, and may overflow. */
	private long now = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(1);

	/** The next tick, if there is one. */
	private @Nullable Runnable next;

	private final PauseAwareClock time = new PauseAwareClock(() -> this.now, Duration.ofSeconds(2), (tick, nanos) -> {
		this.next = tick;
		return true;
	});

	private final long start = this.time.nanoTime();

	@Test
	@DisplayName("Without ticks, all time counts")
	void withoutTicks() {
		pass(5000);
		assertPassed(5000);
		this.time.begin();
		pass(100);
		tick();
		for (int i = 0; this.next != null; i++) {
			assertThat(i).isLessThan(100);
			pass(50);
			tick();
		}
		assertThat(passed()).as("it ticks for the longest timeout and a second").isBetween(8000L, 8300L);
		long before = passed();
		pass(5000);
		assertPassed(before + 5000);
	}

	@Test
	@DisplayName("While ticks are a little late, all time counts")
	void lateTicks() {
		tick();
		for (int i = 0; i < 20; i++) {
			pass(240);
			tick();
		}
		assertPassed(20 * 240);
	}

	@Test
	@DisplayName("Of the time without a tick, 250 ms count, before and after the next tick")
	void stopped() {
		tick();
		pass(2000);
		assertPassed(250);
		tick();
		assertPassed(250);
	}

	@Test
	@DisplayName("After a stop, the clock stands still for another 100 ms, for the threads that read what has arrived")
	void grace() {
		tick();
		pass(2000);
		tick();
		pass(50);
		tick();
		assertPassed(250);
		pass(60);
		tick();
		assertPassed(260);
		pass(200);
		assertPassed(460);
	}

	@Test
	@DisplayName("A process that is stopped again and again gets on")
	void stoppedAgainAndAgain() {
		tick();
		for (int i = 0; i < 10; i++) {
			pass(1000);
			tick();
		}
		assertThat(passed()).isBetween(1500L, 2500L);
	}

	private void tick() {
		Runnable tick = this.next;
		this.next = null;
		if (tick != null) {
			tick.run();
		}
		else {
			this.time.begin();
		}
	}

	private void pass(long millis) {
		this.now += TimeUnit.MILLISECONDS.toNanos(millis);
	}

	private long passed() {
		return TimeUnit.NANOSECONDS.toMillis(this.time.nanoTime() - this.start);
	}

	private void assertPassed(long millis) {
		assertThat(passed()).isEqualTo(millis);
	}

}
