package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.TokenLocks.TokenLock;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class DefaultTokenLocksTests {

	private static final LockKey KEY = new LockKey("tokens", "taro");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final String TOKEN = "a-token-of-taro-1";

	private final VirtualRuntime runtime = new VirtualRuntime();

	private final ObservedStore store = new ObservedStore(this.runtime::nanoTime);

	private final DefaultLockRegistry registry = this.runtime.registry(this.store);

	private final TokenLocks locks = new DefaultTokenLocks(this.registry);

	@AfterEach
	void nothingIsLeft() {
		this.runtime.settle();
		assertThat(RegistryAccess.isUnused(this.registry)).isTrue();
		this.registry.close();
	}

	@Test
	@DisplayName("A lock is held by a new token until released by it, and this instance keeps no state of it")
	void newToken() {
		TokenLock held = join(this.locks.acquireAsync(KEY, OPTIONS));
		assertThat(held.token()).matches("[0-9a-f]{32}");
		assertThat(held.fencingToken()).isPositive();
		assertThat(held.remaining()).isEqualTo(OPTIONS.ttl());
		assertThat(held.extended()).isFalse();
		assertThat(RegistryAccess.isUnused(this.registry)).isTrue();
		assertThat(remaining()).hasValue(OPTIONS.ttl());
		assertThat(release(held.token())).isTrue();
		assertThat(remaining()).isEmpty();
		assertThat(release(held.token())).isFalse();
		TokenLock next = join(this.locks.acquireAsync(KEY, OPTIONS));
		assertThat(next.token()).isNotEqualTo(held.token());
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
	}

	@Test
	@DisplayName("A token that holds the lock extends it by acquiring it again, counted from the time of the command")
	void extendsLock() {
		TokenLock held = join(this.locks.acquireAsync(KEY, OPTIONS, TOKEN));
		assertThat(held.token()).isEqualTo(TOKEN);
		assertThat(held.extended()).isFalse();
		this.runtime.pass(Duration.ofSeconds(1));
		TokenLock extended = join(this.locks.acquireAsync(KEY, LockOptions.of(Duration.ofMinutes(9)), TOKEN));
		assertThat(extended.token()).isEqualTo(TOKEN);
		assertThat(extended.extended()).isTrue();
		assertThat(extended.fencingToken()).isGreaterThanOrEqualTo(held.fencingToken());
		assertThat(extended.remaining()).isEqualTo(Duration.ofMinutes(9));
		assertThat(remaining()).hasValue(Duration.ofMinutes(9));
		assertThat(release(TOKEN)).isTrue();
		assertThat(join(this.locks.acquireAsync(KEY, OPTIONS, TOKEN)).extended()).isFalse();
	}

	@Test
	@DisplayName("A token created by this registry is extended like any other")
	void extendsNewToken() {
		TokenLock held = join(this.locks.acquireAsync(KEY, OPTIONS));
		TokenLock extended = join(this.locks.acquireAsync(KEY, OPTIONS, held.token()));
		assertThat(extended.extended()).isTrue();
		assertThat(extended.fencingToken()).isGreaterThanOrEqualTo(held.fencingToken());
	}

	@Test
	@DisplayName("A lock that is not extended is free after its time to live: it is not renewed")
	void expires() {
		TokenLock held = join(this.locks.acquireAsync(KEY, OPTIONS, TOKEN));
		this.runtime.pass(OPTIONS.ttl().minusMillis(1));
		assertThat(remaining()).hasValue(Duration.ofMillis(1));
		this.runtime.pass(Duration.ofMillis(1));
		assertThat(remaining()).isEmpty();
		assertThat(this.store.renewals).isEmpty();
		TokenLock next = join(this.locks.acquireAsync(KEY, OPTIONS));
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		assertThat(release(TOKEN)).as("by a holder that is too late").isFalse();
		assertRejected(this.locks.acquireAsync(KEY, OPTIONS, TOKEN), "request-in-progress");
		assertThat(release(next.token())).isTrue();
	}

	@Test
	@DisplayName("A token that does not hold the lock can neither release nor extend it")
	void otherToken() {
		TokenLock held = join(this.locks.acquireAsync(KEY, OPTIONS));
		assertThat(release(TOKEN)).isFalse();
		assertThat(release(held.token().toUpperCase())).isFalse();
		assertRejected(this.locks.acquireAsync(KEY, LockOptions.of(Duration.ofHours(1)), TOKEN), "request-in-progress");
		assertThat(remaining()).hasValue(OPTIONS.ttl());
		assertThat(release(held.token())).isTrue();
	}

	@Test
	@DisplayName("A try-lock caller is rejected at once, a waiter when its wait times out; both get the remaining time of the lock")
	void rejected() {
		join(this.locks.acquireAsync(KEY, OPTIONS, TOKEN));
		LockOptions waiting = OPTIONS.withWaitTime(Duration.ofMillis(100));
		assertRejected(this.locks.acquireAsync(KEY, OPTIONS), "request-in-progress");
		assertRejected(this.locks.acquireAsync(KEY, OPTIONS, "another-token-of-jiro"), "request-in-progress");
		List<CompletionStage<TokenLock>> attempts = List.of(this.locks.acquireAsync(KEY, waiting),
				this.locks.acquireAsync(KEY, waiting, "another-token-of-jiro"));
		this.runtime.pass(waiting.waitTime().minusNanos(1));
		assertThat(attempts).noneMatch((attempt) -> attempt.toCompletableFuture().isDone());
		this.runtime.pass(Duration.ofNanos(1));
		assertThat(attempts).allSatisfy((attempt) -> assertRejected(attempt, "wait-timeout"));
		assertThat(release(TOKEN)).isTrue();
	}

	@Test
	@DisplayName("Of two concurrent try-lock callers, one gets the lock, and the other is rejected with the remaining time")
	void concurrentTryLocks() {
		this.store.withholding = true;
		CompletionStage<TokenLock> first = this.locks.acquireAsync(KEY, OPTIONS);
		CompletionStage<TokenLock> second = this.locks.acquireAsync(KEY, LockOptions.of(Duration.ofMinutes(9)));
		this.store.deliver();
		join(first);
		assertRejected(second, "request-in-progress");
		assertThat(this.store.acquires).hasValue(1);
	}

	@Test
	@DisplayName("toString of a token lock and of a rejection does not contain the token")
	void textForms() {
		assertThat(join(this.locks.acquireAsync(KEY, OPTIONS, TOKEN)).toString()).doesNotContain(TOKEN)
			.startsWith("TokenLock[fencingToken=");
		CompletionStage<TokenLock> rejected = this.locks.acquireAsync(KEY, OPTIONS, TOKEN + "2");
		this.runtime.settle();
		assertThat(rejected).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.satisfies((ex) -> assertThat(ex).hasStackTraceContaining("held by another caller")
				.extracting(Throwable::toString)
				.asString()
				.doesNotContain("token-of"));
	}

	@ParameterizedTest(name = "{index}")
	@ValueSource(strings = { "", "fifteen-letters", " sixteen-letters", "sixteen letters ", "sixteen\tletters.",
			"sixteen-letters\n", "sixteen-letters-\n", "sixteen-letters-\u00e9", "sixteen-letters-\uff21",
			"sixteen-letters-\0", "sixteen-letters-:", "sixteen-letters-,", "sixteen-letters-*" })
	@DisplayName("An invalid token is rejected without a command to the store")
	void noToken(String token) {
		assertNoToken(token);
	}

	@Test
	@DisplayName("A token has 16 to 128 characters, all of them valid in a bearer token")
	void tokens() {
		assertNoToken("t".repeat(129));
		for (String token : List.of("t".repeat(16), "t".repeat(128), "-._~+/=AZaz09-._")) {
			assertThat(join(this.locks.acquireAsync(KEY, OPTIONS, token)).token()).isEqualTo(token);
			assertThat(release(token)).isTrue();
		}
	}

	private void assertNoToken(String token) {
		int commands = this.store.commands();
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.acquireAsync(KEY, OPTIONS, token));
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.releaseAsync(KEY, token));
		assertThat(this.store.commands()).isEqualTo(commands);
		assertThat(remaining()).isEmpty();
	}

	@Test
	@DisplayName("A store without support for tokens is a configuration error with an action")
	void noTokenStore() {
		TokenLocks none = new DefaultTokenLocks(
				new DefaultLockRegistry(new LeasesOnly(), LockOptions.of(Duration.ofSeconds(10))));
		List<Supplier<CompletionStage<?>>> calls = List.of(() -> none.acquireAsync(KEY, OPTIONS),
				() -> none.acquireAsync(KEY, OPTIONS, TOKEN), () -> none.releaseAsync(KEY, TOKEN),
				() -> none.remainingAsync(KEY));
		assertThat(calls)
			.allSatisfy((call) -> assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(call::get)
				.withMessageContaining("LeasesOnly")
				.satisfies((ex) -> assertThat(ex.getAction()).contains("HOLDS_FOR_TOKENS")));
	}

	@Test
	@DisplayName("A store failure is not a rejection, whatever the operation, and no state is left in this instance")
	void failingStore() {
		this.store.broken = true;
		assertAllFail("out of order");
		this.store.broken = false;
		assertThat(join(this.locks.acquireAsync(KEY, OPTIONS, TOKEN)).extended()).isFalse();
	}

	@Test
	@DisplayName("An exception of a store's own type is not a rejection")
	void throwingStore() {
		this.store.throwing = true;
		assertAllFail("not even an answer");
	}

	private void assertAllFail(String why) {
		List<CompletionStage<?>> answers = List.of(this.locks.acquireAsync(KEY, OPTIONS),
				this.locks.acquireAsync(KEY, OPTIONS.withWaitTime(Duration.ofSeconds(20))),
				this.locks.acquireAsync(KEY, OPTIONS, TOKEN), this.locks.releaseAsync(KEY, TOKEN),
				this.locks.remainingAsync(KEY));
		this.runtime.settle();
		assertThat(answers).allSatisfy((answer) -> assertThat(answer).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockStoreException.class)
			.withStackTraceContaining(why));
	}

	@Test
	@DisplayName("Callbacks of an answer do not run on the thread of the store")
	void threadOfAnswers() {
		ObservedStore store = new ObservedStore();
		DefaultLockRegistry registry = new DefaultLockRegistry(store, LockOptions.of(Duration.ofSeconds(10)));
		TokenLocks threaded = new DefaultTokenLocks(registry);
		List<Supplier<CompletionStage<?>>> calls = List.of(() -> threaded.acquireAsync(KEY, OPTIONS),
				() -> threaded.acquireAsync(KEY, OPTIONS, TOKEN), () -> threaded.remainingAsync(KEY),
				() -> threaded.releaseAsync(KEY, TOKEN));
		for (Supplier<CompletionStage<?>> call : calls) {
			store.withholding = true;
			CompletableFuture<String> thread = new CompletableFuture<>();
			call.get().whenComplete((value, failure) -> thread.complete(Thread.currentThread().getName()));
			store.deliver();
			assertThat(thread).succeedsWithin(Duration.ofSeconds(20)).asString().startsWith("lock-answers");
		}
		registry.close();
	}

	private Optional<Duration> remaining() {
		return join(this.locks.remainingAsync(KEY));
	}

	private boolean release(String token) {
		return join(this.locks.releaseAsync(KEY, token));
	}

	private void assertRejected(CompletionStage<TokenLock> attempt, String problem) {
		this.runtime.settle();
		assertThat(attempt).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(LockConflictException.class, (ex) -> {
				assertThat(ex.getRetryAfter()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
				assertThat(ex.getBody().getType()).hasToString("https://lockstarter.github.io/problems/" + problem);
			});
	}

	private <T> T join(CompletionStage<T> stage) {
		return this.runtime.join(stage);
	}

	/** A store that supports leases only. */
	private static final class LeasesOnly implements LockStore {

		private final MemoryLockStore memory = new MemoryLockStore();

		@Override
		public StoredLock lock(LockKey key) {
			return this.memory.lock(key);
		}

	}

}
