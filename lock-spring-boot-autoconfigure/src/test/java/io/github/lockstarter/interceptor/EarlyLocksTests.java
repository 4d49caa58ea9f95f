package io.github.lockstarter.interceptor;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.operation.TestOperations;

import static org.assertj.core.api.Assertions.assertThat;

class EarlyLocksTests {

	private static final CallChain NO_CHAIN = new CallChain(List.of(), null);

	private final FakeRegistry registry = new FakeRegistry();

	private final InterceptorContext context = this.registry.context(new CallerTasks(() -> Runnable::run, List::of),
			new LastRuns());

	private final LockOperationSource operations = TestOperations.source();

	private final LockedMethod waiting = TestOperations.find(this.operations, Handlers.class, "waiting");

	private final LockedMethod rejecting = TestOperations.find(this.operations, Handlers.class, "rejecting");

	@Test
	@DisplayName("They are those of the call if its arguments give the same keys")
	void same() {
		EarlyLocks early = early(this.waiting, "1", NO_CHAIN, false);
		assertThat(early.areThoseOf(locks(this.waiting, "1"))).isTrue();
		assertThat(early.areThoseOf(locks(this.waiting, "2"))).isFalse();
		assertThat(early.areThoseOf(locks(this.rejecting, "1"))).isFalse();
		assertThat(early.method()).isSameAs(this.waiting);
		assertThat(early.mayWait()).isTrue();
		assertThat(early(this.rejecting, "1", NO_CHAIN, false).mayWait()).isFalse();
	}

	@Test
	@DisplayName("Locks that the call does not need are given back unused, and the wait for them counts")
	void giveWay() {
		EarlyLocks early = early(this.waiting, "1", NO_CHAIN, false);
		LockAcquisition call = locks(this.waiting, "2");
		early.giveWayTo(call, early.acquire());
		assertThat(this.registry.released).containsExactly("unused a:1");
		call.acquire(this.context, NO_CHAIN, false);
		assertThat(this.registry.asked).containsExactly(List.of(LockKey.of("a:1")), List.of(LockKey.of("a:2")));
		assertThat(this.registry.waits.get(0)).isEqualTo(Duration.ofHours(1));
		assertThat(this.registry.waits.get(1)).isLessThan(Duration.ofHours(1)).isPositive();
	}

	@Test
	@DisplayName("On the thread and without one, they cover the response if that is so configured")
	void untilResponse() {
		for (boolean covered : new boolean[] { false, true }) {
			EarlyLocks early = early(this.waiting, "1", NO_CHAIN, covered);
			for (HeldLeases leases : List.of(early.acquire(), early.acquireAsync(Runnable::run).join())) {
				leases.end();
				assertThat(this.registry.released).hasSize(covered ? 0 : 1);
				leases.requestEnded();
				assertThat(this.registry.released).containsExactly("a:1");
				this.registry.released.clear();
			}
		}
	}

	@Test
	@DisplayName("They join the locks of handlers whose dispatch encloses theirs")
	void enclosing() {
		CallChain enclosing = new CallChain(List.of(this.registry.held(this.rejecting, "a:1")), null);
		EarlyLocks early = early(this.waiting, "1", enclosing, false);
		assertThat(early.acquire().leases()).hasSize(1);
		assertThat(early.acquireAsync(Runnable::run).join().leases()).hasSize(1);
		assertThat(this.registry.asked).isEmpty();
	}

	@Test
	@DisplayName("A request that is given up while it waits without a thread asks no more")
	void cancelled() {
		CompletableFuture<Lease> pending = this.registry.pend("a:1", new CompletableFuture<>());
		early(this.waiting, "1", NO_CHAIN, false).acquireAsync(Runnable::run).cancel(false);
		assertThat(pending).isCancelled();
	}

	private EarlyLocks early(LockedMethod method, String key, CallChain chain, boolean untilResponse) {
		return new EarlyLocks(method, locks(method, key), this.context, chain, untilResponse);
	}

	private static LockAcquisition locks(LockedMethod method, String key) {
		return new LockAcquisition(method, method.invocation(new Object[] { key }, CurrentRequest.NONE));
	}

	static class Handlers {

		@ExclusiveRequest(name = "a", key = "#key", waitTime = "1h")
		void waiting(String key) {
		}

		@ExclusiveRequest(name = "a", key = "#key")
		void rejecting(String key) {
		}

	}

}
