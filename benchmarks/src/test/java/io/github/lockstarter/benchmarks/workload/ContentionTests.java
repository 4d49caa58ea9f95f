package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.benchmarks.candidate.RedisCandidate;
import io.github.lockstarter.benchmarks.candidate.RedisAddress;
import io.github.lockstarter.benchmarks.measure.Task;
import io.github.lockstarter.benchmarks.measure.Worker;
import io.github.lockstarter.benchmarks.workload.Contention.Holding;
import io.github.lockstarter.testing.LocalRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class ContentionTests {

	@Test
	@DisplayName("Threads of another process acquire the lock, and report when they wanted, got and released it")
	void inAnotherProcess() throws Exception {
		try (LocalRedis redis = LocalRedis.started(); Worker worker = new Worker()) {
			RedisAddress address = new RedisAddress(redis.port());
			long now = System.nanoTime();
			// The first run waits for the process to start and to connect.
			assertThat(worker.run(contention(address, now, now))).isEmpty();
			long begin = System.nanoTime();
			long end = begin + Duration.ofSeconds(3).toNanos();
			List<Holding> holdings = worker.run(contention(address, begin, end));
			assertThat(holdings).hasSizeGreaterThan(4).extracting(Holding::thread).containsOnly(2, 3);
			assertThat(holdings).allSatisfy((holding) -> {
				assertThat(holding.acquired()).isGreaterThan(holding.wanted());
				assertThat(holding.released() - holding.acquired())
					.isGreaterThanOrEqualTo(Duration.ofMillis(100).toNanos());
			});
			assertThat(Holdings.of(List.of(holdings), 2, begin, end).rate()).isPositive();
		}
	}

	private static Contention<RedisAddress> contention(RedisAddress redis, long begin, long end) {
		return new Contention<>(redis, RedisCandidate.THIS, "key", 1, 2, Duration.ofMillis(100), Duration.ZERO, begin,
				end);
	}

	@Test
	@DisplayName("A task that fails in another process fails in this process, and the other process continues")
	void failsThere() throws Exception {
		try (Worker worker = new Worker()) {
			assertThatIllegalStateException().isThrownBy(() -> worker.run(new Failing()))
				.withRootCauseInstanceOf(UnsupportedOperationException.class);
			assertThat(worker.run(new ProcessId())).isPositive().isNotEqualTo(ProcessHandle.current().pid());
		}
	}

	private record Failing() implements Task<String> {

		@Override
		public String run() {
			throw new UnsupportedOperationException();
		}

	}

	private record ProcessId() implements Task<Long> {

		@Override
		public Long run() {
			return ProcessHandle.current().pid();
		}

	}

}
