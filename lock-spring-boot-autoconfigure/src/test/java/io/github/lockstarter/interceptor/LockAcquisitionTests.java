package io.github.lockstarter.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;

import org.springframework.http.HttpStatus;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockConflictEvent;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockConflictException.ConflictReason;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockDeadlockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockSkippedEvent;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.ReleaseOn;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.event.LockEvents;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.operation.LockSettings;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.operation.OnStoreFailure;
import io.github.lockstarter.operation.TestOperations;
import io.github.lockstarter.registry.sharing.SharingRegistry.LeaseOrResult;
import io.github.lockstarter.result.SharedCall;
import io.github.lockstarter.result.SharedResult;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.StoredResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The locks of one call: in which order and for how long they are asked for, and what is
 * given back if one of them is not granted.
 */
class LockAcquisitionTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final Executor DIRECT = Runnable::run;

	private final FakeRegistry registry = new FakeRegistry();

	private final LockEventCounter counts = new LockEventCounter();

	private final List<Object> events = new ArrayList<>();

	private final LastRuns runs = new LastRuns();

	private final InterceptorContext context = context(this.registry);

	private final LockOperationSource operations = TestOperations.source((name) -> name.equals("optional")
			? new LockSettings(null, null, null, null, null, null, null, OnStoreFailure.PROCEED) : LockSettings.NONE);

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("The locks of several annotations are acquired in the order of their keys, one after the other")
	void order(boolean async) {
		HeldLeases leases = acquire(async, locks("two", "1", "2"));
		assertThat(this.registry.asked).containsExactly(keys("a:2"), keys("b:1"));
		assertThat(leases.leases()).extracting(Lease::key).isEqualTo(keys("a:2", "b:1"));
		leases.end();
		assertThat(this.registry.released).containsExactly("b:1", "a:2");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("The lease for the parameters of the method is that of the first annotation, whatever the order of the locks")
	void mainLease(boolean async) {
		assertThat(acquire(async, locks("two", "1", "2")).lease()).isSameAs(this.registry.lease("b:1"));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A lock that two annotations need is acquired once")
	void sameLock(boolean async) {
		HeldLeases leases = acquire(async, locks("same", "1", "1"));
		assertThat(this.registry.asked).containsExactly(keys("a:1"));
		assertThat(leases.leases()).hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("The locks of one annotation are acquired together, unless the lock of another one is in between")
	void groups(boolean async) {
		acquire(async, locks("each", List.of("3", "1"), "4"));
		acquire(async, locks("each", List.of("3", "1"), "2"));
		assertThat(this.registry.asked).containsExactly(keys("a:1", "a:3"), keys("a:4"), keys("a:1"), keys("a:2"),
				keys("a:3"));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A call without elements, or whose condition is false, needs no lock and has no lease")
	void noLock(boolean async) {
		for (LockAcquisition locks : List.of(locks("all", List.of()), locks("conditional", "1", false))) {
			HeldLeases leases = acquire(async, locks);
			assertThat(leases.leases()).isEmpty();
			assertThat(leases.lease()).isNull();
			assertThat(leases.result().isSkipped()).isFalse();
			assertThat(locks.mayWait()).isFalse();
		}
		assertThat(this.registry.asked).isEmpty();
		acquire(async, locks("conditional", "1", true));
		assertThat(this.registry.asked).containsExactly(keys("a:1"));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("The wait time counts from the first lock: later ones, also together, get what is left")
	void oneWait(boolean async) {
		acquire(async, locks("waiting", "1", List.of("1", "2")));
		assertThat(this.registry.waits).hasSize(2);
		assertThat(this.registry.waits.get(0)).isEqualTo(HOUR);
		assertThat(this.registry.waits.get(1)).isLessThan(HOUR).isPositive();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("It also counts from a first lock that was not granted, and without which the call proceeds")
	void oneWaitAfterFailure(boolean async) {
		this.registry.fail("optional:1", storeFailure("optional:1", new IllegalStateException()));
		acquire(async, locks("waitingOptional", "1", "1"));
		assertThat(this.registry.asked).containsExactly(keys("optional:1"), keys("other:1"));
		assertThat(this.registry.waits.get(0)).isEqualTo(HOUR);
		assertThat(this.registry.waits.get(1)).isLessThan(HOUR).isPositive();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("Leases of other locks that the call turned out not to need are given back unused, and the wait for them counts")
	void replaced(boolean async) {
		for (String method : List.of("waitingOne", "shared")) {
			LockAcquisition early = locks(method, "1");
			LockAcquisition call = locks(method, "2");
			assertThat(call.isFor(early)).isFalse();
			call.replace(early, acquire(async, early));
			acquire(async, call);
		}
		assertThat(this.registry.asked).containsExactly(keys("a:1"), keys("a:2"), keys("a:1"), keys("a:2"));
		assertThat(this.registry.released).hasSize(2).allMatch((lease) -> lease.endsWith("a:1"));
		for (int i = 0; i < 4; i += 2) {
			assertThat(this.registry.waits.get(i)).isEqualTo(HOUR);
			assertThat(this.registry.waits.get(i + 1)).isLessThan(HOUR).isPositive();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A lock that is not waited for is not waited for after an earlier wait either")
	void noWait(boolean async) {
		LockAcquisition locks = locks("two", "1", "2");
		assertThat(locks.mayWait()).isFalse();
		LockAcquisition early = locks("waitingOne", "1");
		locks.replace(early, acquire(async, early));
		acquire(async, locks);
		assertThat(this.registry.waits).containsExactly(HOUR, Duration.ZERO, Duration.ZERO);
		assertThat(locks("waitingOne", "1").mayWait()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("If one lock is held, the others are given back unused, and the rejection has the status of its annotation")
	void rejected(boolean async) {
		this.registry.hold("b:1");
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> acquire(async, locks("two", "1", "2")))
			.satisfies((conflict) -> {
				assertThat(conflict.getKey()).isEqualTo(LockKey.of("b:1"));
				assertThat(conflict.getStatusCode()).isEqualTo(HttpStatus.LOCKED);
			});
		assertThat(this.registry.released).containsExactly("unused a:2");
		assertThat(this.events).singleElement().isInstanceOf(LockConflictEvent.class);
		this.registry.hold("a:2");
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> acquire(async, locks("two", "1", "2")))
			.satisfies((conflict) -> assertThat(conflict.getStatusCode()).isEqualTo(HttpStatus.CONFLICT));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A call that is skipped at its second lock has no leases, and gives back the first; it is no rejection")
	void skipped(boolean async) {
		this.registry.hold("b:1");
		HeldLeases leases = acquire(async, locks("skipping", "1", "1"));
		assertThat(leases.result().isSkipped()).isTrue();
		assertThat(this.registry.released).containsExactly("unused a:1");
		assertThat(this.counts.get("b", Event.SKIPPED)).isEqualTo(1);
		assertThat(this.events).singleElement().isInstanceOf(LockSkippedEvent.class);
		assertThat(this.runs.byLockName()).containsOnlyKeys("b");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A failure of the store is not skipped")
	void notSkipped(boolean async) {
		this.registry.fail("b:1", storeFailure("b:1", new IllegalStateException()));
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> acquire(async, locks("skipping", "1", "1")));
		assertThat(this.registry.released).containsExactly("unused a:1");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A call whose store fails proceeds without that lock if it may, and under the others")
	void proceeds(boolean async) {
		this.registry.fail("optional:1", storeFailure("optional:1", new IllegalStateException()));
		HeldLeases leases = acquire(async, locks("waitingOptional", "1", "1"));
		assertThat(leases.leases()).extracting(Lease::key).isEqualTo(keys("other:1"));
		assertThat(leases.lease()).isNull();
		assertThat(this.registry.released).isEmpty();
		assertThat(this.counts.get("optional", Event.UNGUARDED)).isEqualTo(1);
		this.registry.fail("other:1", storeFailure("other:1", new IllegalStateException()));
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> acquire(async, locks("waitingOptional", "1", "1")));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A held lock, a closed registry and an interrupted caller are no failures of the store: the call does not proceed")
	void doesNotProceed(boolean async) {
		for (LockStoreException noFailure : List.of(storeFailure("optional:1", null),
				storeFailure("optional:1", new InterruptedException()))) {
			this.registry.fail("optional:1", noFailure);
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> acquire(async, locks("waitingOptional", "1", "1")))
				.isSameAs(noFailure);
		}
		this.registry.hold("optional:1");
		assertThatExceptionOfType(LockConflictException.class)
			.isThrownBy(() -> acquire(async, locks("waitingOptional", "1", "1")));
		assertThat(this.counts.get("optional", Event.UNGUARDED)).isZero();
		assertThat(this.registry.asked).containsOnly(keys("optional:1"));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A lock that the chain of calls holds is joined, and only the others are acquired")
	void joined(boolean async) {
		HeldLeases outer = held("b:1");
		HeldLeases leases = acquire(async, within(chain(outer), "two", "1", "2"));
		assertThat(this.registry.asked).containsExactly(keys("a:2"));
		assertThat(leases.lease()).isNotNull().extracting(Lease::key).isEqualTo(LockKey.of("b:1"));
		leases.end();
		assertThat(this.registry.released).containsExactly("a:2");
		outer.end();
		assertThat(this.registry.released).containsExactly("a:2", "b:1");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("Of the locks of one annotation, too, only those are acquired that the chain does not hold")
	void joinedOfGroup(boolean async) {
		acquire(async, within(chain(held("a:2")), "all", List.of("1", "2", "3")));
		assertThat(this.registry.asked).containsExactly(keys("a:1", "a:3"));
		acquire(async, within(chain(held("a:2")), "all", List.of("2")));
		assertThat(this.registry.asked).hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A lease of the chain that was lost is not joined: the call fails, and gives back what it has")
	void joinLost(boolean async) {
		HeldLeases outer = held("b:1");
		Mockito.when(this.registry.lease("b:1").isHeld()).thenReturn(false);
		assertThatExceptionOfType(LeaseLostException.class)
			.isThrownBy(() -> acquire(async, within(chain(outer), "two", "1", "2")));
		assertThat(this.registry.released).containsExactly("unused a:2");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A call that joins its lease shares no result, and one that replays fails and leaves the chain")
	void joinedSharing(boolean async) {
		HeldLeases outer = held("a:1");
		HeldLeases shared = acquire(async, within(chain(outer), "shared", "1"));
		assertThat(shared.result().mayKeep()).isFalse();
		shared.end();
		assertThatIllegalStateException().isThrownBy(() -> acquire(async, within(chain(outer), "replayed", "1")))
			.withMessageContaining("declare the replay on the calling method");
		assertThat(this.registry.asked).isEmpty();
		outer.end();
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A call that shares keeps its result under the lease, or receives that of another call")
	void shared(boolean async) {
		HeldLeases first = acquire(async, locks("shared", "1"));
		assertThat(first.lease()).isSameAs(this.registry.lease("a:1"));
		assertThat(first.result().mayKeep()).isTrue();
		first.close();
		LockedMethod method = method("shared");
		SharedCall sharing = method.operations()
			.get(0)
			.shared(LockKey.of("a:1"), method.invocation(new Object[] { "1" }, CurrentRequest.NONE));
		String text = sharing.results().writeValue(sharing.caller(), "done", null);
		this.registry.result = new StoredResult(new ResultKey("any", HOUR, false), text, 1);
		HeldLeases second = acquire(async, locks("shared", "1"));
		assertThat(second.result().received()).isEqualTo(new SharedResult.Value("done"));
		assertThat(second.leases()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A call that shares is rejected, or proceeds without its lock, like any other")
	void sharedFailure(boolean async) {
		this.registry.hold("a:1");
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> acquire(async, locks("shared", "1")));
		this.registry.fail("optional:1", storeFailure("optional:1", new IllegalStateException()));
		HeldLeases unguarded = acquire(async, locks("sharedOptional", "1"));
		assertThat(unguarded.leases()).isEmpty();
		assertThat(unguarded.result().mayKeep()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A wait for a call that waits for a lock of this one is rejected as a deadlock, and the lock is given back")
	void deadlock(boolean async) {
		LockOptions options = LockOptions.of(TestOperations.TTL).withWaitTime(HOUR);
		CallChain other = chain(held("b:1"));
		this.context.waits().begin(other, Set.of(), keys("a:1"), method("waitingOne").method());
		assertThatExceptionOfType(LockDeadlockException.class)
			.isThrownBy(() -> acquire(async, locks("waiting", "1", List.of("1"))));
		assertThat(this.registry.asked).containsExactly(keys("a:1"));
		assertThat(this.registry.released).containsExactly("unused a:1");
		assertThat(acquire(async, locks("two", "1", "1")).leases()).hasSize(2);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A wait has ended with its attempt, granted or not, and is in no other call's way")
	void endOfWait(boolean async) {
		acquire(async, within(chain(held("b:1")), "waitingOne", "1"));
		this.registry.hold("a:1");
		assertThatExceptionOfType(LockConflictException.class)
			.isThrownBy(() -> acquire(async, within(chain(held("b:1")), "waitingOne", "1")));
		this.registry.fail("a:1", storeFailure("a:1", null));
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> acquire(async, within(chain(held("b:1")), "waitingOne", "1")));
		LockOptions options = LockOptions.of(TestOperations.TTL).withWaitTime(HOUR);
		assertThat(this.context.waits().begin(chain(held("a:1")), Set.of(), keys("b:1"), method("waitingOne").method()))
			.isNotNull();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A wait for a lock that the handler of the same request holds is rejected as a deadlock")
	void heldByHandler(boolean async) {
		CallChain chain = new CallChain(List.of(), held("b:1"));
		assertThatExceptionOfType(LockDeadlockException.class)
			.isThrownBy(() -> acquire(async, within(chain, "waiting", "1", List.of("1"))));
		assertThat(this.registry.released).containsExactly("unused a:1");
		acquire(async, within(chain, "two", "1", "1"));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("Leases that cover the response are held until the end of the request")
	void untilResponse(boolean async) {
		LockedMethod method = method("two");
		HeldLeases leases = acquire(async,
				new LockAcquisition(method, method.invocation(new Object[] { "1", "1" }, CurrentRequest.NONE),
						this.context, CallChain.NONE, ReleaseOn.RESPONSE));
		leases.end();
		assertThat(this.registry.released).isEmpty();
		leases.requestEnded();
		assertThat(this.registry.released).containsExactly("b:1", "a:1");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A mock that returns null instead of a lease is named as the cause")
	void mock(boolean async) {
		for (CompletionStage<?> stage : Arrays.asList(null, CompletableFuture.completedStage(null))) {
			InterceptorContext context = context(
					Mockito.mock(LockRegistry.class, (call) -> call.getMethod().getReturnType() == CompletionStage.class
							? stage : Mockito.RETURNS_DEFAULTS.answer(call)));
			for (List<String> keys : List.of(List.of("1"), List.of("1", "2"))) {
				LockAcquisition locks = acquisition(method("all"), context, CallChain.NONE, keys);
				assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> acquire(async, locks))
					.withMessageContaining("If it is a mock, configure it to return one");
			}
		}
	}

	@Test
	@DisplayName("A registry that throws instead of failing its stage leaves no wait and no lock behind")
	void throwingRegistry() {
		LockRegistry throwing = Mockito.mock(LockRegistry.class);
		IllegalStateException failure = new IllegalStateException("as asked");
		Mockito.when(throwing.acquireAsync(Mockito.any(), Mockito.any(), Mockito.any())).thenThrow(failure);
		InterceptorContext context = context(throwing);
		CompletableFuture<HeldLeases> attempt = acquisition(method("waitingOne"), context, chain(held("b:1")), "1")
			.acquireAsync(DIRECT);
		assertThatExceptionOfType(CompletionException.class).isThrownBy(attempt::join).withCause(failure);
		LockOptions options = LockOptions.of(TestOperations.TTL).withWaitTime(HOUR);
		assertThat(context.waits().begin(chain(held("a:1")), Set.of(), keys("b:1"), method("waitingOne").method()))
			.isNotNull();
	}

	@Test
	@DisplayName("Two calls are for the same locks if their method, keys and annotations are the same")
	void sameLocks() {
		assertThat(locks("two", "1", "2").isFor(locks("two", "1", "2"))).isTrue();
		assertThat(locks("two", "1", "2").isFor(locks("two", "2", "1"))).isFalse();
		assertThat(locks("all", List.of("1")).isFor(locks("waitingOne", "1"))).isFalse();
		assertThat(locks("conditional", "1", true).isFor(locks("conditional", "1", false))).isFalse();
		assertThat(locks("conditional", "1", false).isFor(locks("all", List.of()))).isFalse();
	}

	@Test
	@DisplayName("A cancelled attempt ends the question for its second lock, and gives back the first")
	void cancelled() {
		CompletableFuture<Lease> second = this.registry.pend("b:1", new CompletableFuture<>());
		CompletableFuture<HeldLeases> attempt = async(locks("two", "1", "2"));
		assertThat(attempt).isNotDone();
		attempt.cancel(false);
		assertThat(second).isCancelled();
		assertThat(this.registry.released).containsExactly("unused a:2");
	}

	@Test
	@DisplayName("A lock that is granted although the attempt was cancelled is given back, and no other is asked for")
	void grantedAfterCancellation() {
		CompletableFuture<Lease> first = this.registry.pend("a:2", new Uncancellable<>());
		CompletableFuture<HeldLeases> attempt = async(locks("two", "1", "2"));
		attempt.cancel(false);
		first.complete(this.registry.lease("a:2"));
		assertThat(this.registry.asked).containsExactly(keys("a:2"));
		assertThat(this.registry.released).containsExactly("unused a:2");
	}

	@Test
	@DisplayName("So are all locks if the last one is granted too late")
	void lastGrantedAfterCancellation() {
		CompletableFuture<Lease> last = this.registry.pend("b:1", new Uncancellable<>());
		async(locks("two", "1", "2")).cancel(false);
		last.complete(this.registry.lease("b:1"));
		assertThat(this.registry.released).containsExactly("unused b:1", "unused a:2");
	}

	@Test
	@DisplayName("A cancelled attempt of a call that shares gives back the lease that it is granted too late")
	void sharedGrantedAfterCancellation() {
		CompletableFuture<Object> late = this.registry.pend("a:1", new Uncancellable<>());
		async(locks("shared", "1")).cancel(false);
		late.complete(new LeaseOrResult(this.registry.lease("a:1"), null));
		assertThat(this.registry.released).singleElement().asString().endsWith("a:1");
	}

	@Test
	@DisplayName("The next lock is asked for when the one before it is granted, and a later rejection gives that back")
	void oneAfterTheOther() {
		CompletableFuture<Lease> first = this.registry.pend("a:2", new CompletableFuture<>());
		CompletableFuture<Lease> second = this.registry.pend("b:1", new CompletableFuture<>());
		CompletableFuture<HeldLeases> attempt = async(locks("two", "1", "2"));
		assertThat(this.registry.asked).containsExactly(keys("a:2"));
		first.complete(this.registry.lease("a:2"));
		assertThat(this.registry.asked).containsExactly(keys("a:2"), keys("b:1"));
		assertThat(attempt).isNotDone();
		LockStoreException failure = storeFailure("b:1", new IllegalStateException());
		second.completeExceptionally(failure);
		assertThatExceptionOfType(CompletionException.class).isThrownBy(attempt::join).withCause(failure);
		assertThat(this.registry.released).containsExactly("unused a:2");
	}

	@Test
	@DisplayName("A caller sees a rejection or a skip only after the other locks have been released, whether a thread waits or not")
	void releasedBeforeAnswer() throws Exception {
		this.registry.hold("b:1");
		for (String method : List.of("two", "skipping")) {
			for (boolean async : List.of(false, true)) {
				CompletableFuture<Void> release = new CompletableFuture<>();
				CountDownLatch asked = new CountDownLatch(1);
				Mockito.when(this.registry.lease("a:1").releaseUnused()).thenAnswer((call) -> {
					asked.countDown();
					return release;
				});
				CompletableFuture<HeldLeases> attempt = async ? async(locks(method, "1", "1")) : CompletableFuture
					.supplyAsync(() -> locks(method, "1", "1").acquire(), (task) -> new Thread(task).start());
				assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
				int told = this.events.size();
				assertThat(attempt).isNotDone();
				release.complete(null);
				attempt.handle((leases, failure) -> failure).join();
				assertThat(attempt.isCompletedExceptionally()).isEqualTo(method.equals("two"));
				assertThat(this.events).hasSize(told + 1);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("An observer that throws ends the attempt, and the granted locks are released")
	void throwingObserver(boolean async) {
		LockEventCounter failing = Mockito.mock(LockEventCounter.class);
		Mockito.doThrow(new IllegalStateException("no counts")).when(failing).add(Mockito.any(), Mockito.any());
		InterceptorContext context = new InterceptorContext(() -> this.registry,
				new CallObserver(failing, this.runs, new LockEvents(this.events::add, () -> DIRECT, () -> failing)),
				new CallerTasks(() -> DIRECT, List::of), ReleaseOn.METHOD);
		this.registry.hold("b:1");
		assertThatIllegalStateException()
			.isThrownBy(() -> acquire(async, acquisition(method("skipping"), context, CallChain.NONE, "1", "1")))
			.withMessage("no counts");
		this.registry.fail("optional:1", storeFailure("optional:1", new IllegalStateException()));
		assertThatIllegalStateException()
			.isThrownBy(() -> acquire(async, acquisition(method("lastOptional"), context, CallChain.NONE, "2", "1")))
			.withMessage("no counts");
		assertThat(this.registry.released).containsExactly("unused a:1", "unused a:2");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A release that throws, fails or returns nothing does not change the answer to the caller")
	void brokenRelease(boolean async) {
		this.registry.hold("b:1");
		CompletableFuture<Void> failed = CompletableFuture.failedFuture(new IllegalStateException("no release"));
		Mockito.when(this.registry.lease("a:1").releaseUnused()).thenThrow(new IllegalStateException("no release"));
		Mockito.when(this.registry.lease("a:2").releaseUnused()).thenReturn(failed);
		Mockito.when(this.registry.lease("a:3").releaseUnused()).thenReturn(null);
		assertThat(Stream.of("1", "2", "3")).allSatisfy((key) -> assertThatExceptionOfType(LockConflictException.class)
			.isThrownBy(() -> acquire(async, locks("two", "1", key)))
			.satisfies((conflict) -> assertThat(conflict.getKey()).isEqualTo(LockKey.of("b:1"))));
	}

	@Test
	@DisplayName("The rejection of a caller whose thread waits is thrown as it is, without a wrapper that has a stack trace")
	void rejectedWithoutWrapper() {
		LockConflictException conflict = new LockConflictException(LockKey.of("a:1"), ConflictReason.HELD, HOUR,
				HttpStatus.CONFLICT);
		this.registry.fail("a:1", conflict);
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> locks("all", List.of("1")).acquire())
			.isSameAs(conflict)
			.satisfies((rejection) -> assertThat(rejection.getSuppressed()).isEmpty());
	}

	private HeldLeases acquire(boolean async, LockAcquisition locks) {
		return get(async, () -> locks.acquireAsync(DIRECT), locks::acquire);
	}

	private CompletableFuture<HeldLeases> async(LockAcquisition locks) {
		return locks.acquireAsync(DIRECT);
	}

	/** All outcomes of asynchronous attempts are known at once. */
	private static HeldLeases get(boolean async, Supplier<CompletableFuture<HeldLeases>> later,
			Supplier<HeldLeases> now) {
		if (!async) {
			return now.get();
		}
		CompletableFuture<HeldLeases> attempt = later.get();
		assertThat(attempt).isDone();
		try {
			return attempt.join();
		}
		catch (CompletionException ex) {
			throw (RuntimeException) ex.getCause();
		}
	}

	private LockAcquisition locks(String method, Object... args) {
		LockedMethod locked = method(method);
		return acquisition(locked, this.context, CallChain.NONE, args);
	}

	private LockAcquisition within(CallChain chain, String method, Object... args) {
		return acquisition(method(method), this.context, chain, args);
	}

	private static LockAcquisition acquisition(LockedMethod method, InterceptorContext context, CallChain chain,
			Object... args) {
		return new LockAcquisition(method, method.invocation(args, CurrentRequest.NONE), context, chain,
				ReleaseOn.METHOD);
	}

	private LockedMethod method(String name) {
		return TestOperations.find(this.operations, Jobs.class, name);
	}

	private HeldLeases held(String key) {
		return this.registry.held(method("conditional"), key);
	}

	private static CallChain chain(HeldLeases... leases) {
		return new CallChain(List.of(leases), null);
	}

	private InterceptorContext context(LockRegistry registry) {
		LockEvents published = new LockEvents(this.events::add, () -> DIRECT, () -> this.counts);
		published.publish(true, true);
		return new InterceptorContext(() -> registry, new CallObserver(this.counts, this.runs, published),
				new CallerTasks(() -> DIRECT, List::of), ReleaseOn.METHOD);
	}

	private static LockStoreException storeFailure(String key, Throwable cause) {
		return new LockStoreException(LockKey.of(key), "gone", cause);
	}

	private static List<LockKey> keys(String... keys) {
		return List.of(keys).stream().map(LockKey::of).toList();
	}

	private static final class Uncancellable<T> extends CompletableFuture<T> {

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			return false;
		}

	}

	static class Jobs {

		@ExclusiveRequest(name = "b", key = "#b", status = 423)
		@ExclusiveRequest(name = "a", key = "#a")
		void two(String b, String a) {
		}

		@ExclusiveRequest(name = "a", key = "#one")
		@ExclusiveRequest(name = "a", key = "#other")
		void same(String one, String other) {
		}

		@ExclusiveRequest(name = "a", keys = "#some")
		@ExclusiveRequest(name = "a", key = "#other")
		void each(List<String> some, String other) {
		}

		@ExclusiveRequest(name = "a", keys = "#all")
		void all(List<String> all) {
		}

		@ExclusiveRequest(name = "a", key = "#a", condition = "#needed")
		void conditional(String a, boolean needed) {
		}

		@ExclusiveRequest(name = "a", key = "#a", waitTime = "1h")
		void waitingOne(String a) {
		}

		@ExclusiveRequest(name = "a", key = "#a", waitTime = "1h")
		@ExclusiveRequest(name = "b", keys = "#b", waitTime = "1h")
		void waiting(String a, List<String> b) {
		}

		@ExclusiveRequest(name = "optional", key = "#first", waitTime = "1h")
		@ExclusiveRequest(name = "other", key = "#second", waitTime = "1h")
		void waitingOptional(String first, String second) {
		}

		@ExclusiveRequest(name = "a", key = "#a")
		@ExclusiveRequest(name = "optional", key = "#last")
		void lastOptional(String a, String last) {
		}

		@ExclusiveRequest(name = "a", key = "#a", onConflict = OnConflict.SKIP)
		@ExclusiveRequest(name = "b", key = "#b", onConflict = OnConflict.SKIP)
		void skipping(String a, String b) {
		}

		@ExclusiveRequest(name = "a", key = "#a", onConflict = OnConflict.SHARE, waitTime = "1h")
		String shared(String a) {
			return "done";
		}

		@ExclusiveRequest(name = "optional", key = "#a", onConflict = OnConflict.SHARE)
		String sharedOptional(String a) {
			return "done";
		}

		@ExclusiveRequest(name = "a", key = "#a", replay = "1h")
		String replayed(String a) {
			return "done";
		}

	}

}
