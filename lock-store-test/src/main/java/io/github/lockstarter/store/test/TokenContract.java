package io.github.lockstarter.store.test;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.assertj.core.api.Condition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DynamicTest;

import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a store with the capability {@link Capability#HOLDS_FOR_TOKENS}.
 */
final class TokenContract extends CapabilityContract {

	/** The resolution of a store's clock, plus the time of a command. */
	private static final Duration A_WHILE = Duration.ofSeconds(10);

	private static final Condition<Duration> NEARLY_LONG = new Condition<>(
			(left) -> left.compareTo(LONG.minus(A_WHILE)) > 0 && left.compareTo(LONG.plusMillis(1)) <= 0,
			"nearly " + LONG);

	private TokenContract(LockStore store, LockStore other) {
		super(store, other);
	}

	static Stream<DynamicTest> tests(LockStore store, LockStore other) {
		Tests<TokenContract> tests = new Tests<>(() -> new TokenContract(store, other));
		tests.add("A free lock is granted to a token, and is held until the token releases it",
				TokenContract::grantsAndRejects);
		tests.add("A token that acquires its lock again extends it, and never shortens it", TokenContract::asksAgain);
		tests.add("A token can renew its lock, and acquire it again", TokenContract::renews);
		tests.add("The remaining time of a held lock can be read by any caller; a free lock has none",
				TokenContract::tellsRemaining);
		tests.add("A lock that its token neither renews nor releases is free after its time to live",
				TokenContract::expires);
		tests.add("A token and a lease exclude each other", TokenContract::excludesLeases);
		tests.add(
				"Of two tokens with many concurrent acquisitions, one is granted the lock each time, and the other never",
				TokenContract::asksAtOnce);
		tests.add("The fencing token never decreases for the holder, and grows for the next token or lease",
				TokenContract::fencingTokensGrow);
		tests.add("Tokens of 128 characters, with all valid characters, are distinguished from similar ones",
				TokenContract::longTokens);
		return tests.stream();
	}

	private void grantsAndRejects() {
		assertThat(ask("a", LONG)).isInstanceOf(Granted.class);
		assertThat(held(ask("b", LONG)).remaining()).is(NEARLY_LONG);
		assertThat(release("b")).isFalse();
		assertThat(ask("b", LONG)).isInstanceOf(Held.class);
		assertThat(release("a")).isTrue();
		assertThat(release("a")).isFalse();
		assertThat(ask("b", LONG)).isInstanceOf(Granted.class);
		release("b");
	}

	private void asksAgain() {
		ask("a", SHORT.multipliedBy(20));
		assertThat(ask("a", LONG)).isInstanceOf(Granted.class);
		assertThat(remaining()).hasValueSatisfying(NEARLY_LONG);
		assertThat(ask("a", SHORT)).isInstanceOf(Granted.class);
		assertThat(remaining()).hasValueSatisfying(NEARLY_LONG);
		assertThat(ask("b", LONG)).isInstanceOf(Held.class);
		assertThat(release("a")).isTrue();
		assertThat(remaining()).isEmpty();
	}

	private void renews() {
		ask("a", LONG);
		assertThat(renew("b", Duration.ofHours(1))).isFalse();
		assertThat(renew("a", Duration.ofHours(1))).isTrue();
		assertThat(ask("a", LONG)).isInstanceOf(Granted.class);
		assertThat(remaining()).hasValueSatisfying((left) -> assertThat(left).isGreaterThan(LONG));
		release("a");
		assertThat(renew("a", LONG)).isFalse();
	}

	private void tellsRemaining() {
		assertThat(remaining()).isEmpty();
		ask("a", LONG);
		assertThat(remaining()).hasValueSatisfying(NEARLY_LONG);
		release("a");
		assertThat(remaining()).isEmpty();
		acquire("lease");
		assertThat(remaining()).hasValueSatisfying(NEARLY_LONG);
		release("lease");
		assertThat(remaining()).isEmpty();
	}

	private void expires() {
		ask("late", SHORT);
		Awaitility.await().until(() -> remaining().isEmpty());
		assertThat(ask("next", LONG)).isInstanceOf(Granted.class);
		assertThat(renew("late", Duration.ofHours(1))).isFalse();
		assertThat(release("late")).isFalse();
		assertThat(ask("late", LONG)).isInstanceOf(Held.class);
		assertThat(release("next")).isTrue();
	}

	private void excludesLeases() {
		ask("token", LONG);
		assertThat(acquire("lease")).isInstanceOf(Held.class);
		assertThat(release("token")).isTrue();
		assertThat(acquire("lease")).isInstanceOf(Granted.class);
		assertThat(ask("token", LONG)).isInstanceOf(Held.class);
		assertThat(release("lease")).isTrue();
		assertThat(ask("token", LONG)).isInstanceOf(Granted.class);
		release("token");
	}

	private void asksAtOnce() {
		List<CompletionStage<AcquireResult>> answers = IntStream.range(0, 60)
			.mapToObj((i) -> this.store.lock(this.key).acquire(command((i % 2 == 0) ? "a" : "b", LONG)))
			.toList();
		List<Integer> granted = IntStream.range(0, 60)
			.filter((i) -> join(answers.get(i)) instanceof Granted)
			.mapToObj((i) -> i % 2)
			.toList();
		assertThat(granted).hasSize(30).containsOnly(granted.get(0));
		assertThat(List.of(release("a"), release("b"))).containsExactlyInAnyOrder(true, false);
	}

	private void fencingTokensGrow() {
		long first = fencingToken(ask("a", LONG));
		long again = fencingToken(ask("a", LONG));
		renew("a", LONG.multipliedBy(2));
		long renewed = fencingToken(ask("a", LONG));
		assertThat(List.of(first, again, renewed)).isSorted();
		release("a");
		long lease = grant("lease");
		release("lease");
		long next = fencingToken(ask("b", LONG));
		assertThat(List.of(renewed, lease, next)).isSorted().doesNotHaveDuplicates();
		release("b");
	}

	private void longTokens() {
		String token = "Aa0-._~+/=".repeat(13).substring(0, 128);
		assertThat(ask(token, LONG)).isInstanceOf(Granted.class);
		for (String other : List.of(token.toLowerCase(Locale.ROOT), token.substring(1), token + "=", "*")) {
			assertThat(ask(other, LONG)).isInstanceOf(Held.class);
			assertThat(renew(other, LONG)).isFalse();
			assertThat(release(other)).isFalse();
		}
		assertThat(ask(token, LONG)).isInstanceOf(Granted.class);
		assertThat(release(token)).isTrue();
	}

	private AcquireResult ask(String token, Duration ttl) {
		return acquire(command(token, ttl));
	}

	private static AcquireCommand command(String token, Duration ttl) {
		return AcquireCommand.of(token, ttl).forSharedToken();
	}

}
