package io.github.lockstarter.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireResult.Busy;
import io.github.lockstarter.store.AcquireResult.Granted;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What every {@link TokenStore} promises. To run it against a store, extend it and return
 * the store, connected to a real server.
 */
public abstract class TokenStoreContract {

	protected static final Duration LONG = Duration.ofSeconds(30);

	private static final Duration SHORT = Duration.ofMillis(60);

	/** What a store's clock may round to, and the time for a request. */
	private static final Duration A_WHILE = Duration.ofSeconds(10);

	protected final LockKey key = new LockKey("tokens", UUID.randomUUID().toString());

	protected abstract LockStore store();

	@Test
	@DisplayName("A free lock is granted to a token; then it is busy for others until the token releases it")
	void grantsAndRefuses() {
		assertThat(claim("a", LONG)).isInstanceOf(Granted.class);
		assertThat(claim("b", LONG)).isInstanceOfSatisfying(Busy.class,
				(busy) -> assertThat(busy.remaining()).isBetween(LONG.minus(A_WHILE), LONG.plusMillis(1)));
		assertThat(release("b")).isFalse();
		assertThat(claim("b", LONG)).isInstanceOf(Busy.class);
		assertThat(release("a")).isTrue();
		assertThat(release("a")).isFalse();
		assertThat(claim("b", LONG)).isInstanceOf(Granted.class);
		release("b");
	}

	@Test
	@DisplayName("Who holds the lock and claims it again is granted it, and holds it for as long as asked for, and not for less than before")
	void claimsAgain() {
		claim("a", SHORT.multipliedBy(20));
		assertThat(claim("a", LONG)).isInstanceOf(Granted.class);
		assertThat(remaining()).hasValueSatisfying((left) -> assertThat(left).isGreaterThan(LONG.minus(A_WHILE)));
		assertThat(claim("a", SHORT)).isInstanceOf(Granted.class);
		assertThat(remaining()).hasValueSatisfying((left) -> assertThat(left).isGreaterThan(LONG.minus(A_WHILE)));
		assertThat(claim("b", LONG)).isInstanceOf(Busy.class);
		assertThat(release("a")).isTrue();
		assertThat(remaining()).isEmpty();
	}

	@Test
	@DisplayName("Who holds the lock renews it, and can still claim it")
	void renews() {
		claim("a", LONG);
		assertThat(renew("b", Duration.ofHours(1))).isFalse();
		assertThat(renew("a", Duration.ofHours(1))).isTrue();
		assertThat(claim("a", LONG)).isInstanceOf(Granted.class);
		assertThat(remaining()).hasValueSatisfying((left) -> assertThat(left).isGreaterThan(LONG));
		release("a");
		assertThat(renew("a", LONG)).isFalse();
	}

	@Test
	@DisplayName("How long a lock is still held is known to all; nothing is known of a lock that is free")
	void tellsRemaining() {
		assertThat(remaining()).isEmpty();
		claim("a", LONG);
		assertThat(remaining())
			.hasValueSatisfying((left) -> assertThat(left).isBetween(LONG.minus(A_WHILE), LONG.plusMillis(1)));
		release("a");
		assertThat(remaining()).isEmpty();
		join(store().acquire(this.key, "lease", LONG));
		assertThat(remaining())
			.hasValueSatisfying((left) -> assertThat(left).isBetween(LONG.minus(A_WHILE), LONG.plusMillis(1)));
		release("lease");
		assertThat(remaining()).isEmpty();
	}

	@Test
	@DisplayName("A lock that its token neither renews nor releases is free when its time to live has run out")
	void expires() {
		claim("late", SHORT);
		Awaitility.await().until(() -> remaining().isEmpty());
		assertThat(claim("next", LONG)).isInstanceOf(Granted.class);
		assertThat(renew("late", Duration.ofHours(1))).isFalse();
		assertThat(release("late")).isFalse();
		assertThat(claim("late", LONG)).isInstanceOf(Busy.class);
		assertThat(release("next")).isTrue();
	}

	@Test
	@DisplayName("A token and a lease exclude each other")
	void excludesLeases() {
		claim("token", LONG);
		assertThat(acquire("lease")).isInstanceOf(Busy.class);
		assertThat(release("token")).isTrue();
		assertThat(acquire("lease")).isInstanceOf(Granted.class);
		assertThat(claim("token", LONG)).isInstanceOf(Busy.class);
		assertThat(release("lease")).isTrue();
		assertThat(claim("token", LONG)).isInstanceOf(Granted.class);
		release("token");
	}

	@Test
	@DisplayName("Of two tokens that claim the lock many times at once, one is granted it each time, and the other never")
	void claimsAtOnce() {
		List<CompletionStage<AcquireResult>> claims = IntStream.range(0, 60)
			.mapToObj((i) -> tokens().claim(this.key, (i % 2 == 0) ? "a" : "b", LONG, null))
			.toList();
		List<Integer> granted = IntStream.range(0, 60)
			.filter((i) -> join(claims.get(i)) instanceof Granted)
			.mapToObj((i) -> i % 2)
			.toList();
		assertThat(granted).hasSize(30).containsOnly(granted.get(0));
		assertThat(List.of(release("a"), release("b"))).containsExactlyInAnyOrder(true, false);
	}

	@Test
	@DisplayName("The fencing token never shrinks for who holds the lock, and grows for the next, be it a token or a lease")
	void fencingTokensGrow() {
		long first = fencingToken(claim("a", LONG));
		long again = fencingToken(claim("a", LONG));
		renew("a", LONG.multipliedBy(2));
		long renewed = fencingToken(claim("a", LONG));
		assertThat(List.of(first, again, renewed)).isSorted();
		release("a");
		long lease = fencingToken(acquire("lease"));
		release("lease");
		long next = fencingToken(claim("b", LONG));
		assertThat(List.of(renewed, lease, next)).isSorted().doesNotHaveDuplicates();
		release("b");
	}

	@Test
	@DisplayName("A token of 128 characters, of all that are allowed, is told from one that looks alike")
	void longTokens() {
		String token = "Aa0-._~+/=".repeat(13).substring(0, 128);
		assertThat(claim(token, LONG)).isInstanceOf(Granted.class);
		for (String other : List.of(token.toLowerCase(), token.substring(1), token + "=", "*")) {
			assertThat(claim(other, LONG)).isInstanceOf(Busy.class);
			assertThat(renew(other, LONG)).isFalse();
			assertThat(release(other)).isFalse();
		}
		assertThat(claim(token, LONG)).isInstanceOf(Granted.class);
		assertThat(release(token)).isTrue();
	}

	protected final TokenStore tokens() {
		return (TokenStore) store();
	}

	protected final AcquireResult claim(String token, Duration ttl) {
		return join(tokens().claim(this.key, token, ttl, null));
	}

	protected final Optional<Duration> remaining() {
		return join(tokens().remaining(this.key));
	}

	protected final boolean release(String owner) {
		return join(store().release(this.key, owner));
	}

	protected static <T> T join(CompletionStage<T> stage) {
		return stage.toCompletableFuture().join();
	}

	private AcquireResult acquire(String owner) {
		return join(store().acquire(this.key, owner, LONG));
	}

	private boolean renew(String owner, Duration ttl) {
		return join(store().renew(this.key, owner, ttl));
	}

	private static long fencingToken(AcquireResult result) {
		assertThat(result).isInstanceOf(Granted.class);
		return ((Granted) result).fencingToken();
	}

}
