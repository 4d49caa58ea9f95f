package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

class CallTimeoutsTests {

	private static final Duration SHORT = Duration.ofMillis(200);

	private static final Duration LONG = Duration.ofMinutes(10);

	private static final Duration SOON = Duration.ofSeconds(10);

	private final LockKey key = new LockKey("payments", "1");

	private final RecordingTimer recording = new RecordingTimer();

	private final ClientResources resources = ClientResources.builder().timer(this.recording).build();

	private final RedisClient client = RedisClient.create(this.resources);

	private final DriverTimer timer = new DriverTimer(DriverStub.connections(this.client, mock()));

	private final AtomicInteger timedOut = new AtomicInteger();

	@AfterEach
	void stop() {
		this.client.shutdown();
		this.resources.shutdown();
		this.recording.stop();
	}

	@Test
	@DisplayName("All calls in progress share one timer")
	void oneTimer() {
		CallTimeouts timeouts = timeouts(LONG);
		for (int i = 0; i < 1000; i++) {
			timeouts.begin(this.key).complete("answer");
		}
		timeouts.begin(this.key);
		timeouts.begin(this.key);
		// The others are the ticks of the clock.
		assertThat(this.recording.delays).filteredOn((delay) -> delay > SOON.toNanos()).containsExactly(LONG.toNanos());
	}

	@Test
	@DisplayName("Each call without an answer fails, also those that begin after others have timed out")
	void eachFails() {
		CallTimeouts timeouts = timeouts(SHORT);
		for (int round = 1; round <= 3; round++) {
			Call<String> answered = timeouts.begin(this.key);
			Call<String> first = timeouts.begin(this.key);
			Call<String> second = timeouts.begin(this.key);
			answered.complete("answer");
			assertFails(first, "Redis did not answer within 200 ms");
			assertFails(second, "Redis did not answer within 200 ms");
			assertThat(answered).isCompletedWithValue("answer");
			int so = round;
			Awaitility.await().untilAsserted(() -> assertThat(this.timedOut).hasValueGreaterThanOrEqualTo(so));
		}
	}

	@Test
	@DisplayName("A call that begins while an earlier one runs does not time out with it")
	void laterCall() {
		CallTimeouts timeouts = timeouts(Duration.ofSeconds(2));
		Call<String> first = timeouts.begin(this.key);
		// The clock ticks every 50 ms.
		Awaitility.await().until(() -> this.recording.delays.size() > 15);
		Call<String> second = timeouts.begin(this.key);
		long begun = System.nanoTime();
		assertFails(first, "Redis did not answer within 2000 ms");
		assertFails(second, "Redis did not answer within 2000 ms");
		assertThat(System.nanoTime() - begun).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1900));
	}

	@Test
	@DisplayName("If no timer can be started, the calls in progress fail, and later ones have timeouts")
	void noTimer() {
		CallTimeouts timeouts = timeouts(SHORT);
		this.recording.failing.set(true);
		assertFails(timeouts.begin(this.key), "Redis failed");
		this.recording.failing.set(false);
		assertFails(timeouts.begin(this.key), "Redis did not answer within 200 ms");
	}

	@Test
	@DisplayName("The time of the first attempt to connect does not count")
	void connecting() {
		CompletableFuture<Void> connected = new CompletableFuture<>();
		CallTimeouts timeouts = new CallTimeouts(SHORT, this.timer, connected, this.timedOut::incrementAndGet);
		Call<String> call = timeouts.begin(this.key);
		assertThat(this.recording.delays).isEmpty();
		connected.complete(null);
		assertFails(call, "Redis did not answer within 200 ms");
	}

	private CallTimeouts timeouts(Duration timeout) {
		return new CallTimeouts(timeout, this.timer, CompletableFuture.completedFuture(null),
				this.timedOut::incrementAndGet);
	}

	private static void assertFails(Call<String> call, String message) {
		assertThat(call).failsWithin(SOON)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockStoreException.class)
			.withMessageContaining(message);
	}

	/** A timer that can fail, and records for how long it was set. */
	private static final class RecordingTimer extends HashedWheelTimer {

		private final Queue<Long> delays = new ConcurrentLinkedQueue<>();

		private final AtomicBoolean failing = new AtomicBoolean();

		@Override
		public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
			if (this.failing.get()) {
				throw new IllegalStateException("as asked");
			}
			this.delays.add(unit.toNanos(delay));
			return super.newTimeout(task, delay, unit);
		}

	}

}
