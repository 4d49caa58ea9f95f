package io.github.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.LockDeadlockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.interceptor.WaitGraph.Wait;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.operation.TestOperations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Which waits of calls would be a deadlock. A call is written as the locks that it holds
 * and those that it waits for.
 */
class WaitGraphTests {

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(10))
		.withWaitTime(Duration.ofSeconds(10));

	private final WaitGraph waits = new WaitGraph();

	private final FakeRegistry registry = new FakeRegistry();

	private final LockedMethod outer = TestOperations.find(TestOperations.source(), WaitGraphTests.class, "outer");

	private final Method first = TestOperations.method(WaitGraphTests.class, "first");

	private final Method second = TestOperations.method(WaitGraphTests.class, "second");

	@Test
	@DisplayName("A call that holds nothing and waits for one lock is in nobody's way, and is not recorded")
	void holdsNothing() {
		assertThat(begin(this.first, "", "a")).isNull();
		assertThat(begin(this.second, "a", "b")).isNotNull();
	}

	@Test
	@DisplayName("Of two calls that wait for each other's lock, the later one is rejected, and the message names both methods and locks")
	void two() {
		begin(this.first, "a", "b");
		assertThatExceptionOfType(LockDeadlockException.class).isThrownBy(() -> begin(this.second, "b", "a"))
			.withMessageContaining("WaitGraphTests.second, or a call around it, holds lock 'b', for which "
					+ "WaitGraphTests.first waits")
			.withMessageContaining("keeps lock 'a' from being released")
			.satisfies((conflict) -> assertThat(conflict.getKey()).isEqualTo(LockKey.of("a")));
	}

	@Test
	@DisplayName("A rejected wait is not recorded: others are not rejected for it")
	void rejected() {
		Wait wait = begin(this.first, "a", "b");
		assertThatExceptionOfType(LockDeadlockException.class).isThrownBy(() -> begin(this.second, "b", "a"));
		this.waits.end(wait);
		assertThat(begin(this.first, "a", "b")).isNotNull();
	}

	@Test
	@DisplayName("A wait that has ended is no part of a deadlock")
	void ended() {
		this.waits.end(begin(this.first, "a", "b"));
		assertThat(begin(this.second, "b", "a")).isNotNull();
	}

	@Test
	@DisplayName("Calls that wait for each other in a circle of three are a deadlock, and the one before the rejected call is named")
	void three() {
		begin(this.first, "a", "b");
		begin(this.second, "b", "c");
		assertThatExceptionOfType(LockDeadlockException.class).isThrownBy(() -> begin(this.first, "c", "a"))
			.withMessageContaining("holds lock 'c', for which WaitGraphTests.second waits");
	}

	@Test
	@DisplayName("Calls that wait in a row, or for one holder, are no deadlock")
	void row() {
		assertThat(begin(this.first, "a", "b")).isNotNull();
		assertThat(begin(this.first, "c", "a")).isNotNull();
		assertThat(begin(this.first, "d", "a")).isNotNull();
		assertThat(begin(this.first, "e", "c")).isNotNull();
	}

	@Test
	@DisplayName("A circle among other calls does not keep a search from ending")
	void circleOfOthers() {
		begin(this.first, "", "a", "b");
		begin(this.first, "", "b", "a");
		assertThat(begin(this.second, "c", "a")).isNotNull();
	}

	@Test
	@DisplayName("A call that waits for several locks may hold some of them already")
	void several() {
		begin(this.first, "", "a", "b");
		assertThatExceptionOfType(LockDeadlockException.class).isThrownBy(() -> begin(this.second, "b", "a"))
			.withMessageContaining("holds lock 'b', for which WaitGraphTests.first waits");
		assertThat(begin(this.second, "b", "c")).isNotNull();
	}

	@Test
	@DisplayName("Of several locks that are waited for, any may be the one of the deadlock")
	void anyOfSeveral() {
		begin(this.first, "a", "b");
		assertThatExceptionOfType(LockDeadlockException.class).isThrownBy(() -> begin(this.second, "b", "c", "a"));
	}

	@Test
	@DisplayName("The locks of the calls around a waiting call count, until those have released them")
	void chain() {
		HeldLeases held = this.registry.held(this.outer, "a");
		this.waits.begin(new CallChain(List.of(held), null), Set.of(), keys("b"), this.first);
		assertThatExceptionOfType(LockDeadlockException.class).isThrownBy(() -> begin(this.second, "b", "a"));
		held.end();
		assertThat(begin(this.second, "b", "a")).isNotNull();
	}

	private @Nullable Wait begin(Method method, String holds, String... wanted) {
		Set<LockKey> acquired = holds.isEmpty() ? Set.of()
				: Stream.of(holds).map(LockKey::of).collect(Collectors.toSet());
		return this.waits.begin(new CallChain(List.of(), null), acquired, keys(wanted), method);
	}

	private static List<LockKey> keys(String... keys) {
		return Stream.of(keys).map(LockKey::of).toList();
	}

	@ExclusiveRequest(name = "outer")
	void outer() {
	}

	void first() {
	}

	void second() {
	}

}
