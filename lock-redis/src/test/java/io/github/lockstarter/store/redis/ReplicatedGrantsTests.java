package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireAllResult;
import io.github.lockstarter.store.AcquireAllResult.AllGranted;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.GroupLockStore.Claim;
import io.github.lockstarter.testing.LocalRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Grants that need the acknowledgement of a replica.
 */
@Tag("faults")
@Tag("redis")
class ReplicatedGrantsTests {

	/** The command timeout; replicas have half of it for each grant. */
	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	/** The maximum time of an answer on a busy machine. */
	private static final Duration SOON = Duration.ofSeconds(20);

	private static final Duration TTL = Duration.ofMinutes(10);

	private final LocalRedis master = LocalRedis.started();

	private final LocalRedis replica = LocalRedis.started("--replicaof", "127.0.0.1 " + this.master.port());

	private final RedisInstance instance = new RedisInstance(TestConnections.to("127.0.0.1", this.master.port()),
			"lock", 1, 64, TIMEOUT);

	private final RedisLockStore store = this.instance.store();

	private final AtomicInteger attempts = new AtomicInteger();

	/**
	 * A grant without acknowledgement is undone later, so each grant has a new owner.
	 */
	@BeforeEach
	void connectReplica() {
		Awaitility.await()
			.atMost(SOON)
			.ignoreExceptions()
			.until(() -> acquire("warm-up", "owner" + this.attempts.incrementAndGet()).join() instanceof Granted);
		assertThat(acquire("held", "holder")).succeedsWithin(SOON).isInstanceOf(Granted.class);
	}

	@AfterEach
	void stop() {
		this.replica.thaw();
		this.instance.close();
		this.replica.close();
		this.master.close();
	}

	@Test
	@DisplayName("Grants that wait for an unresponsive replica do not delay renewals and releases")
	void delayNoRenewal() {
		this.replica.freeze();
		List<CompletableFuture<AcquireResult>> waiting = acquireAll(16);
		LockKey held = key("held");
		for (int i = 0; i < 3; i++) {
			assertThat(this.store.lock(held).renew("holder", TTL)).succeedsWithin(SOON).isEqualTo(true);
		}
		assertThat(this.store.lock(held).release("holder", null)).succeedsWithin(SOON).isEqualTo(true);
		assertThat(waiting).as("they were faster").anyMatch((each) -> !each.isDone());
		assertThat(waiting).allSatisfy(ReplicatedGrantsTests::assertBroken);
	}

	@Test
	@DisplayName("Grants that wait for an unresponsive replica do not delay the end of a turn: its holder is answered, and the lock is free")
	void delayNoEndOfTurn() {
		LockOptions options = LockOptions.of(TTL);
		Lease lease = this.instance.locks().acquire(key("turn"), options);
		// A lease with another time to live is not part of the same turn.
		CompletionStage<Lease> next = this.instance.locks()
			.acquireAsync(key("turn"), LockOptions.of(TTL.plusSeconds(1)).withWaitTime(TTL));
		this.replica.freeze();
		this.instance.forgetCommands();
		List<CompletableFuture<AcquireResult>> waiting = acquireAll(16);
		Awaitility.await().until(() -> this.instance.commands().contains("WAIT"));
		assertThat(lease.releaseAsync()).succeedsWithin(SOON);
		assertThat(waiting).as("they were faster").anyMatch((each) -> !each.isDone());
		assertBroken(next);
		assertThat(waiting).allSatisfy(ReplicatedGrantsTests::assertBroken);
		Awaitility.await().until(() -> this.master.ask("KEYS lock:{*").equals("*2"));
	}

	@Test
	@DisplayName("A hundred grants that wait for an unresponsive replica share the wait, and are undone")
	void waitTogether() {
		this.replica.freeze();
		this.instance.forgetCommands();
		assertThat(acquireAll(100)).allSatisfy(ReplicatedGrantsTests::assertBroken);
		assertThat(this.instance.commands()).filteredOn("WAIT"::equals).hasSizeBetween(1, 4);
		Awaitility.await().until(() -> this.master.ask("KEYS lock:{*").equals("*2"));
	}

	@Test
	@DisplayName("Several locks of one command are granted only if a replica has them; otherwise all are undone")
	void groups() {
		this.instance.forgetCommands();
		assertThat(acquireAtOnce(20)).succeedsWithin(SOON).isInstanceOf(AllGranted.class);
		assertThat(this.instance.commands()).containsExactly("EVALSHA", "WAIT");
		for (int i = 0; i < 20; i++) {
			this.store.lock(key("key" + i)).release("owner" + i, null).toCompletableFuture().join();
		}
		this.replica.freeze();
		assertBroken(acquireAtOnce(20));
		Awaitility.await().until(() -> this.master.ask("KEYS lock:{*").equals("*2"));
	}

	private CompletableFuture<AcquireAllResult> acquireAtOnce(int count) {
		return this.store
			.acquireAll(IntStream.range(0, count)
				.mapToObj((i) -> new Claim(this.store.lock(key("key" + i)), "owner" + i, TTL))
				.toList())
			.toCompletableFuture();
	}

	@Test
	@DisplayName("With a responsive replica all grants succeed, and a rejection does not wait for it")
	void granted() {
		assertThat(acquireAll(500))
			.allSatisfy((each) -> assertThat(each).succeedsWithin(SOON).isInstanceOf(Granted.class));
		this.replica.freeze();
		assertThat(acquire("held", "another")).succeedsWithin(SOON).isInstanceOf(Held.class);
	}

	private List<CompletableFuture<AcquireResult>> acquireAll(int count) {
		return IntStream.range(0, count).mapToObj((i) -> acquire("key" + i, "owner" + i)).toList();
	}

	private CompletableFuture<AcquireResult> acquire(String key, String owner) {
		return this.store.lock(key(key)).acquire(AcquireCommand.of(owner, TTL)).toCompletableFuture();
	}

	private static LockKey key(String key) {
		return new LockKey("replicated", key);
	}

	private static void assertBroken(CompletionStage<?> answer) {
		assertThat(answer).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(LockStoreException.class);
	}

}
