package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.sharing.SharedLease;
import io.github.lockstarter.registry.sharing.SharingRegistry.LeaseOrResult;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.redis.RedisInstance;
import io.github.lockstarter.store.redis.TestConnections;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Results that holders share with other callers, in one and in two instances of an
 * application.
 */
@Tag("redis")
class SharedResultsTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofSeconds(25));

	private static final ResultKey SHARED = new ResultKey("share", Duration.ofSeconds(5), false);

	private static final ResultKey REPLAYED = new ResultKey("replay", Duration.ofSeconds(60), true);

	private static final LettuceConnectionFactory factory = TestRedis.newConnectionFactory();

	private static final StringRedisTemplate redis = new StringRedisTemplate(factory);

	private final String prefix = "sharing-" + UUID.randomUUID();

	private final LockKey key = new LockKey("sharing", "key");

	private final RedisInstance first = new RedisInstance(this.prefix);

	private final RedisInstance second = new RedisInstance(this.prefix);

	@AfterAll
	static void disconnect() {
		factory.destroy();
	}

	@BeforeEach
	void subscribe() {
		for (RedisInstance instance : List.of(this.first, this.second)) {
			instance.locks().prepareSharing(this.key.name());
			Awaitility.await().until(() -> instance.commands().contains("SUBSCRIBE"));
		}
	}

	@AfterEach
	void closeAndLeaveNoLock() {
		this.first.close();
		this.second.close();
		assertThat(redis.keys(this.prefix + ":{*")).isEmpty();
	}

	@Test
	@DisplayName("100 losers on each of two instances get the winner's result, with three commands on the other instance and none on the winner's")
	void shares() {
		SharedLease winner = lease(this.first, OPTIONS, SHARED);
		int commands = this.first.commands().size();
		int commandsElsewhere = this.second.commands().size();
		long begin = System.nanoTime();
		List<CompletableFuture<LeaseOrResult>> losers = new ArrayList<>();
		IntStream.range(0, 100).forEach((i) -> losers.add(ask(this.first, WAITING, SHARED)));
		IntStream.range(0, 100).forEach((i) -> losers.add(ask(this.second, WAITING, SHARED)));
		awaitWaiting();
		winner.close("the result");
		assertThat(losers)
			.allSatisfy((loser) -> assertThat(loser).succeedsWithin(SOON).matches(RedisInstance.gives("the result")));
		assertThat(this.first.commands()).as("the winner's release").hasSize(commands + 1);
		// One command for the lock, one to read the result, and one per second of
		// waiting.
		int looks = (int) Duration.ofNanos(System.nanoTime() - begin).toSeconds();
		assertThat(this.second.commands().size() - commandsElsewhere).isBetween(2, 3 + looks);
	}

	@Test
	@DisplayName("Without a result, the next caller gets the lock, and all others get its result")
	void nextOneAfterAFailure() {
		SharedLease failing = lease(this.first, OPTIONS, SHARED);
		List<CompletableFuture<LeaseOrResult>> losers = Stream
			.of(this.first, this.first, this.first, this.second, this.second)
			.map((instance) -> ask(instance, WAITING, SHARED))
			.toList();
		failing.close();
		Awaitility.await().until(() -> losers.stream().anyMatch(CompletableFuture::isDone));
		List<CompletableFuture<LeaseOrResult>> answered = losers.stream().filter(CompletableFuture::isDone).toList();
		assertThat(answered).hasSize(1);
		answered.get(0).join().lease().close("of the second");
		assertThat(losers).filteredOn((loser) -> loser != answered.get(0))
			.allSatisfy(
					(loser) -> assertThat(loser).succeedsWithin(SOON).matches(RedisInstance.gives("of the second")));
	}

	@Test
	@DisplayName("A holder that has lost its lease leaves no result, on either instance")
	void lostLease() {
		SharedLease winner = lease(this.first, OPTIONS, SHARED);
		List<CompletableFuture<LeaseOrResult>> losers = Stream.of(this.first, this.second)
			.map((instance) -> ask(instance, WAITING, SHARED))
			.toList();
		redis.delete(redis.keys(this.prefix + ":{*"));
		winner.close("of a lost lease");
		for (int i = 0; i < losers.size(); i++) {
			Awaitility.await().until(() -> losers.stream().anyMatch(SharedResultsTests::hasLease));
			losers.stream()
				.filter(SharedResultsTests::hasLease)
				.findFirst()
				.ifPresent((loser) -> loser.join().lease().close());
			losers.stream()
				.filter(CompletableFuture::isDone)
				.forEach((loser) -> assertThat(loser.join().result()).isNull());
		}
		assertThat(redis.keys(this.prefix + ":result:*")).isEmpty();
	}

	private static boolean hasLease(CompletableFuture<LeaseOrResult> loser) {
		return loser.isDone() && loser.join().lease() != null && loser.join().lease().isHeld();
	}

	@Test
	@DisplayName("A caller that arrives after the winner has finished gets the lock, and no old result")
	void sharesNothingOld() {
		SharedLease winner = lease(this.first, OPTIONS, SHARED);
		CompletableFuture<LeaseOrResult> loser = ask(this.second, WAITING, SHARED);
		awaitWaiting();
		winner.close("old");
		assertThat(loser).succeedsWithin(SOON).matches(RedisInstance.gives("old"));
		assertThat(redis.keys(this.prefix + ":result:*")).hasSize(1);
		SharedLease late = lease(this.second, WAITING, SHARED);
		CompletableFuture<LeaseOrResult> later = ask(this.first, WAITING, SHARED);
		awaitWaiting();
		late.close("new");
		assertThat(later).succeedsWithin(SOON).matches(RedisInstance.gives("new"));
	}

	@Test
	@DisplayName("A result to replay is given to all later callers with one command, even while another caller holds the lock")
	void replays() {
		lease(this.first, OPTIONS, REPLAYED).close("kept");
		int commands = this.second.commands().size();
		assertThat(this.second.locks().acquire(this.key, OPTIONS, REPLAYED, ResultQuery.ANY_TOKEN))
			.matches(RedisInstance.gives("kept"));
		assertThat(this.second.commands()).hasSize(commands + 1);
		try (Lease other = this.first.locks().acquire(this.key, OPTIONS)) {
			assertThat(other.isHeld()).isTrue();
			assertThat(ask(this.second, OPTIONS, REPLAYED)).succeedsWithin(SOON).matches(RedisInstance.gives("kept"));
		}
	}

	@Test
	@DisplayName("Ten concurrent try-lock callers all get the stored result")
	void replaysToTryLockCallers() {
		lease(this.first, OPTIONS, REPLAYED).close("kept");
		List<CompletableFuture<LeaseOrResult>> all = IntStream.range(0, 10)
			.mapToObj((i) -> ask(this.second, OPTIONS, REPLAYED))
			.toList();
		assertThat(all)
			.allSatisfy((each) -> assertThat(each).succeedsWithin(SOON).matches(RedisInstance.gives("kept")));
	}

	@Test
	@DisplayName("A result is given to callers that ask for its key; the others get the lock in turn")
	void resultKeysAreIndependent() {
		SharedLease winner = lease(this.first, OPTIONS, SHARED);
		CompletableFuture<LeaseOrResult> same = ask(this.first, WAITING, SHARED);
		CompletableFuture<LeaseOrResult> other = ask(this.first, WAITING, REPLAYED);
		CompletableFuture<Lease> none = this.first.locks().acquireAsync(this.key, WAITING).toCompletableFuture();
		winner.close("for one");
		assertThat(same).succeedsWithin(SOON).matches(RedisInstance.gives("for one"));
		assertThat(other).succeedsWithin(SOON).extracting(LeaseOrResult::result).isNull();
		other.join().lease().close("for another");
		assertThat(none).succeedsWithin(SOON);
		none.join().close();
	}

	@Test
	@DisplayName("A loser that is cancelled or times out affects no other caller")
	void losersLeave() {
		SharedLease winner = lease(this.first, OPTIONS, SHARED);
		CompletableFuture<LeaseOrResult> patient = ask(this.second, WAITING, SHARED);
		CompletableFuture<LeaseOrResult> cancelled = ask(this.second, WAITING, SHARED);
		CompletableFuture<LeaseOrResult> brief = ask(this.second, OPTIONS.withWaitTime(Duration.ofMillis(20)), SHARED);
		cancelled.cancel(false);
		awaitWaiting();
		assertThat(brief).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(LockConflictException.class);
		winner.close("the result");
		assertThat(patient).succeedsWithin(SOON).matches(RedisInstance.gives("the result"));
	}

	@Test
	@DisplayName("Callers that share a result do not count as waiters")
	void sharersAreNotBounded() {
		try (RedisInstance small = new RedisInstance(TestConnections.create(), this.prefix, 0, 1)) {
			SharedLease winner = lease(small, OPTIONS, SHARED);
			List<CompletableFuture<LeaseOrResult>> losers = IntStream.range(0, 5)
				.mapToObj((i) -> ask(small, WAITING, SHARED))
				.toList();
			CompletableFuture<Lease> other = small.locks().acquireAsync(this.key, WAITING).toCompletableFuture();
			assertThatThrownBy(() -> small.locks().acquire(this.key, WAITING))
				.isInstanceOf(LockConflictException.class);
			winner.close("the result");
			assertThat(other).succeedsWithin(SOON);
			other.join().close();
			assertThat(losers).allSatisfy((loser) -> assertThat(loser).succeedsWithin(SOON));
		}
	}

	@Test
	@DisplayName("A caller that waited for another instance's holder stores its result for the other waiters, even if Redis has lost them")
	void storesForWaitersThatRedisForgot() {
		Lease failing = lease(this.first, OPTIONS, SHARED);
		CompletableFuture<LeaseOrResult> next = ask(this.second, WAITING, SHARED);
		awaitWaiting();
		failing.close();
		assertThat(next).succeedsWithin(SOON);
		next.join().lease().close("the result");
		assertThat(redis.keys(this.prefix + ":result:*")).hasSize(1);
		redis.delete(redis.keys(this.prefix + ":result:*"));
		lease(this.second, OPTIONS, SHARED).close("without a reader");
		assertThat(redis.keys(this.prefix + ":result:*")).isEmpty();
	}

	private static long since(ResultKey slot) {
		return slot.replayed() ? ResultQuery.ANY_TOKEN : ResultQuery.NO_TOKEN;
	}

	/** Waits until an instance has seen that the other holds the lock. */
	private void awaitWaiting() {
		Awaitility.await().until(() -> !redis.keys(this.prefix + ":waiting:*").isEmpty());
	}

	private SharedLease lease(RedisInstance instance, LockOptions options, ResultKey slot) {
		SharedLease lease = instance.locks().acquire(this.key, options, slot, since(slot)).lease();
		assertThat(lease).isNotNull();
		return lease;
	}

	private CompletableFuture<LeaseOrResult> ask(RedisInstance instance, LockOptions options, ResultKey slot) {
		return instance.locks().acquireAsync(this.key, options, slot, since(slot), null).toCompletableFuture();
	}

}
