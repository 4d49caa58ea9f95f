package io.github.lockstarter.interceptor;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockDeadlockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.operation.TestOperations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class CallChainTests {

	private static final LockKey A = LockKey.of("a:1");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(10));

	private final FakeRegistry registry = new FakeRegistry();

	private final LockedMethod method = TestOperations.find(TestOperations.source(), CallChainTests.class, "handle");

	private final HeldLeases one = this.registry.held(this.method, "a:1", "b:1");

	private final HeldLeases two = this.registry.held(this.method, "c:1");

	private final CallChain none = new CallChain(List.of(), null);

	private final CallChain chain = new CallChain(List.of(this.one, this.two), null);

	@Test
	@DisplayName("A lock that any call of the chain holds is joined, until the work of that call has ended")
	void join() {
		for (String key : List.of("a:1", "b:1", "c:1")) {
			assertThat(this.chain.join(LockKey.of(key))).isNotNull().extracting(Lease::key).isEqualTo(LockKey.of(key));
		}
		assertThat(this.chain.join(LockKey.of("d:1"))).isNull();
		assertThat(this.none.join(A)).isNull();
		HeldLeases ended = this.registry.held(this.method, "d:1");
		ended.end();
		assertThat(new CallChain(List.of(ended), null).join(LockKey.of("d:1"))).isNull();
	}

	@Test
	@DisplayName("A joined lease keeps the lock until it ends, also after the outer call")
	void outlasts() {
		Lease joined = this.chain.join(LockKey.of("c:1"));
		this.two.end();
		assertThat(this.chain.holds(LockKey.of("c:1"))).isTrue();
		joined.close();
		assertThat(this.chain.holds(LockKey.of("c:1"))).isFalse();
		assertThat(this.registry.released).containsExactly("c:1");
	}

	@Test
	@DisplayName("A lost lease of the chain is no absent one: it fails the call, and stays the outer call's")
	void lost() {
		Mockito.when(this.registry.lease("a:1").isHeld()).thenReturn(false);
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> this.chain.join(A));
		this.one.end();
		assertThat(this.chain.holds(A)).isFalse();
	}

	@Test
	@DisplayName("Leases of outer calls come first where calls are within them, and last where they follow")
	void outer() {
		HeldLeases outer = this.registry.held(this.method, "d:1");
		assertThat(this.chain.within(List.of(outer)).leases()).containsExactly(outer, this.one, this.two);
		assertThat(this.chain.followedBy(List.of(outer)).leases()).containsExactly(this.one, this.two, outer);
		assertThat(this.chain.within(List.of())).isSameAs(this.chain);
		assertThat(this.chain.followedBy(List.of())).isSameAs(this.chain);
		assertThat(this.none.within(List.of(outer)).isEmpty()).isFalse();
		assertThat(this.none.isEmpty()).isTrue();
	}

	@Test
	@DisplayName("The leases of the request's handler stay known within other chains")
	void ofRequest() {
		CallChain ofRequest = new CallChain(List.of(), this.one);
		assertThat(ofRequest.within(List.of(this.two)).ofRequest()).isSameAs(this.one);
		assertThat(ofRequest.followedBy(List.of(this.two)).ofRequest()).isSameAs(this.one);
	}

	@Test
	@DisplayName("A wait for a lock of the request's handler is a deadlock, and the message names both methods")
	void deadlock() {
		CallChain ofRequest = new CallChain(List.of(), this.one);
		assertThatExceptionOfType(LockDeadlockException.class)
			.isThrownBy(() -> ofRequest.checkRequest(A, TestOperations.method(Other.class, "call")))
			.withMessageContaining("Other.call needs it outside of the call chain of CallChainTests.handle");
		ofRequest.checkRequest(LockKey.of("c:1"), this.method.method());
		this.chain.checkRequest(A, this.method.method());
		this.one.end();
		ofRequest.checkRequest(A, this.method.method());
	}

	@ExclusiveRequest(name = "a", key = "1")
	void handle() {
	}

	static class Other {

		void call() {
		}

	}

}
