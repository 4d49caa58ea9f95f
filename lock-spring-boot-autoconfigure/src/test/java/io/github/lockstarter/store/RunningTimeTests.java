package io.github.lockstarter.store;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RunningTimeTests {

	/** A clock may have any origin, and may overflow. */
	private long now = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(1);

	private final RunningTime time = new RunningTime(() -> this.now);

	private final long start = this.time.nanoTime();

	@Test
	@DisplayName("Without ticks, all time counts")
	void withoutTicks() {
		pass(5000);
		assertPassed(5000);
		this.time.tick();
		this.time.stop();
		pass(5000);
		assertPassed(10_000);
	}

	@Test
	@DisplayName("While ticks are a little late, all time counts")
	void lateTicks() {
		this.time.tick();
		for (int i = 0; i < 20; i++) {
			pass(240);
			this.time.tick();
		}
		assertPassed(20 * 240);
	}

	@Test
	@DisplayName("Of the time without a tick, 250 ms count, before and after the next tick")
	void stopped() {
		this.time.tick();
		pass(2000);
		assertPassed(250);
		this.time.tick();
		assertPassed(250);
	}

	@Test
	@DisplayName("After a stop, the clock stands still for another 100 ms, for the threads that read what has arrived")
	void grace() {
		this.time.tick();
		pass(2000);
		this.time.tick();
		pass(50);
		this.time.tick();
		assertPassed(250);
		pass(60);
		this.time.tick();
		assertPassed(260);
		pass(200);
		assertPassed(460);
	}

	@Test
	@DisplayName("A process that is stopped again and again gets on")
	void stoppedAgainAndAgain() {
		this.time.tick();
		for (int i = 0; i < 10; i++) {
			pass(1000);
			this.time.tick();
		}
		assertThat(passed()).isBetween(1500L, 2500L);
	}

	@Test
	@DisplayName("The time since the last tick counts when the ticks end")
	void stops() {
		this.time.tick();
		pass(30);
		this.time.stop();
		assertPassed(30);
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
