package io.github.lockstarter.faults;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.store.redis.TestConnections;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.LocalSentinel;
import io.github.lockstarter.store.redis.RedisInstance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A lock whose master fails before any replica has it.
 */
@Tag("faults")
@Tag("redis")
class ReplicationTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(6);

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofMinutes(2));

	private static final LockKey KEY = new LockKey("replication", "taro");

	private final LocalSentinel servers = LocalSentinel.started();

	@AfterEach
	void stop() {
		this.servers.close();
	}

	@Test
	@DisplayName("With replicas-to-ack, a grant that no replica has fails and is undone, and later acquires are granted")
	void failsUnreplicatedGrant() {
		try (RedisInstance careful = instance(1)) {
			Awaitility.await()
				.ignoreException(LockStoreException.class)
				.until(() -> careful.locks().tryAcquire(KEY, OPTIONS).map(this::close).isPresent());
			cutReplication();
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> careful.locks().tryAcquire(KEY, OPTIONS))
				.havingRootCause()
				.withMessageContaining("0 of 1 replicas");
			Awaitility.await().until(() -> this.servers.count("lock:{*") == 0);
			this.servers.replicas().forEach(LocalRedis::thaw);
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.ignoreException(LockStoreException.class)
				.until(() -> careful.locks().tryAcquire(KEY, OPTIONS).map(this::close).isPresent());
		}
	}

	@Test
	@DisplayName("Without replicas-to-ack, two callers hold a lock if its master dies before replication")
	void forgetsUnreplicatedGrant() {
		try (RedisInstance first = instance(0); RedisInstance second = instance(0)) {
			LocalRedis master = this.servers.master();
			cutReplication();
			Lease lease = first.locks().acquire(KEY, OPTIONS);
			master.kill();
			this.servers.all().stream().filter((node) -> node != master).forEach(LocalRedis::thaw);
			Lease other = Awaitility.await()
				.atMost(Duration.ofSeconds(40))
				.ignoreException(LockStoreException.class)
				.until(() -> second.locks().tryAcquire(KEY, OPTIONS).orElse(null), (each) -> each != null);
			assertThat(lease.isHeld()).isTrue();
			assertThat(other.isHeld()).isTrue();
			// The first holder is notified when its instance reaches the new master.
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.ignoreException(LockStoreException.class)
				.until(() -> first.locks().tryAcquire(new LockKey("replication", "jiro"), OPTIONS).isPresent());
			Awaitility.await().until(() -> !lease.isHeld());
			assertThat(first.losses()).hasSize(1);
			assertThat(other.isHeld()).isTrue();
			other.close();
		}
	}

	/** Replicas that are only frozen would receive the pending data when they resume. */
	private void cutReplication() {
		LocalRedis master = this.servers.master();
		this.servers.replicas().forEach(LocalRedis::freeze);
		master.ask("CLIENT KILL TYPE replica");
	}

	private Lease close(Lease lease) {
		lease.close();
		return lease;
	}

	private RedisInstance instance(int replicasToAck) {
		return new RedisInstance(TestConnections.to(this.servers), "lock", replicasToAck, 64, TIMEOUT);
	}

}
