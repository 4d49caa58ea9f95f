package io.github.lockstarter.completion;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.InOrder;
import org.mockito.Mockito;

import org.springframework.util.ReflectionUtils;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockDeadlockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.registry.sharing.SharedLease;
import io.github.lockstarter.result.Caller;
import io.github.lockstarter.result.Outcome;
import io.github.lockstarter.result.ResultSharing;
import io.github.lockstarter.result.SharedCall;
import io.github.lockstarter.result.SharedResult;
import io.github.lockstarter.result.SharedResult.Response;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The leases of a call from its begin to their release.
 */
class HeldLeasesTests {

	private static final Response PAYMENT_REQUIRED = Response.byErrorPage(402, null);

	private static final Object CONNECTION = new Object();

	private final SharedLease first = lease("a:1");

	private final SharedLease second = lease("b:1");

	private final ResultSharing results = Mockito.mock(ResultSharing.class);

	private final CallResponse response = Mockito.mock(CallResponse.class);

	@BeforeEach
	void writeResults() {
		Mockito.when(this.results.writeValue(Caller.ANY, "value", null)).thenReturn("written value");
		Mockito.when(this.results.writeResponse(Caller.ANY, PAYMENT_REQUIRED, null)).thenReturn("written response");
		Mockito.when(this.results.sharesResponses()).thenReturn(true);
		Mockito.when(this.response.status()).thenReturn(null);
		Mockito.when(this.response.notifiesOfResponse()).thenReturn(true);
		Mockito.when(this.results.keepsResponseTo(Mockito.any())).thenReturn(true);
	}

	@Test
	@DisplayName("Several leases are released in the reverse order of their acquisition, by a thread that waits and by one that does not")
	void order() {
		two().close();
		InOrder order = Mockito.inOrder(this.first, this.second);
		order.verify(this.second).close();
		order.verify(this.first).close();
		two().end();
		order.verify(this.second).releaseAsync();
		order.verify(this.first).releaseAsync();
	}

	@Test
	@DisplayName("Leases on which no work has begun are released as unused")
	void unused() {
		two().abandon();
		Mockito.verify(this.first).releaseUnused();
		Mockito.verify(this.second).releaseUnused();
	}

	@Test
	@DisplayName("If one of two leases was lost before the work, it does not begin, and the other one is released as unused")
	void lostBeforeWork() {
		Mockito.when(this.first.isHeld()).thenReturn(false);
		HeldLeases leases = two();
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(leases::beginOnThread);
		leases.close();
		Mockito.verify(this.second).releaseUnused();
	}

	@Test
	@DisplayName("If a lease is lost during the work, later work does not begin, and the other one is released as used")
	void lostDuringWork() {
		HeldLeases leases = two();
		leases.beginOnThread();
		Mockito.when(this.first.isHeld()).thenReturn(false);
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(leases::checkBeforeWork);
		leases.end();
		Mockito.verify(this.second).releaseAsync();
	}

	@Test
	@DisplayName("The value of the work is stored with the release, and that of lost or rolled-back work is not")
	void value() {
		HeldLeases leases = sharing();
		leases.leave("value");
		leases.close();
		Mockito.verify(this.first).close("written value");
		HeldLeases rolledBack = sharing();
		rolledBack.transactions().record("transaction", TransactionEnd.ROLLED_BACK);
		rolledBack.leave("value");
		rolledBack.end();
		Mockito.verify(this.first).releaseAsync();
		Mockito.when(this.first.isHeld()).thenReturn(false);
		HeldLeases lost = sharing();
		lost.leave("value");
		lost.end();
		Mockito.verify(this.first, Mockito.times(2)).releaseAsync();
	}

	@Test
	@DisplayName("The response to a failure of the work is stored when it is known")
	void failure() {
		HeldLeases leases = sharing();
		leases.result().expectResponse(this.response);
		leases.beginOnThread();
		leases.failed(new IllegalStateException());
		leases.close();
		assertThat(leases.awaitsResponse()).isTrue();
		leases.responded(PAYMENT_REQUIRED);
		Mockito.verify(this.first).releaseAsync("written response");
	}

	@Test
	@DisplayName("So is the response to the conflict of another lock during the work, and that to a failure before the work is not")
	void failureOfOtherLock() {
		LockConflictException conflict = new LockDeadlockException(LockKey.of("other"), "a cycle");
		HeldLeases before = sharing();
		before.result().expectResponse(this.response);
		before.failed(conflict);
		before.close();
		assertThat(before.awaitsResponse()).isFalse();
		Mockito.verify(this.first).close();
		HeldLeases during = sharing();
		during.result().expectResponse(this.response);
		during.beginOnThread();
		during.failed(conflict);
		assertThat(during.awaitsResponse()).isTrue();
	}

	@Test
	@DisplayName("A response that nobody awaits is not kept, nor is that to a failure whose end is not known")
	void noResponse() {
		HeldLeases leases = sharing();
		leases.beginOnThread();
		leases.failed(new IllegalStateException());
		assertThat(leases.awaitsResponse()).isFalse();
		leases.responded(PAYMENT_REQUIRED);
		leases.end();
		Mockito.verify(this.first).releaseAsync();
	}

	@Test
	@DisplayName("If the response is to be kept, the leases are held after the work until it is known, and then store it")
	void response() {
		Mockito.when(this.results.writeResponse(Caller.ANY, PAYMENT_REQUIRED, "value")).thenReturn("written response");
		HeldLeases leases = sharing();
		leases.result().expectResponse(this.response);
		leases.leave("value");
		leases.close();
		Mockito.verify(this.first, Mockito.never()).close();
		leases.responded(PAYMENT_REQUIRED);
		Mockito.verify(this.first).releaseAsync("written response");
		leases.requestEnded();
		leases.responded(PAYMENT_REQUIRED);
		Mockito.verify(this.first, Mockito.times(1)).releaseAsync(Mockito.any());
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("If the request ends without a response, before or after the work, the value is stored")
	void valueWithoutResponse(boolean endsBefore) {
		HeldLeases leases = sharing();
		leases.result().expectResponse(this.response);
		leases.begin();
		if (endsBefore) {
			leases.requestEnded();
		}
		leases.leave("value");
		leases.end();
		leases.requestEnded();
		Mockito.verify(this.first).releaseAsync("written value");
	}

	@Test
	@DisplayName("A response that was not successful, although the value is, leaves the value")
	void failedResponse() {
		Mockito.when(this.results.isShared("value", null)).thenReturn(true);
		HeldLeases leases = sharing();
		leases.result().expectResponse(this.response);
		leases.leave("value");
		leases.end();
		leases.responded(PAYMENT_REQUIRED);
		Mockito.verify(this.first).releaseAsync("written value");
	}

	@Test
	@DisplayName("A failure whose response is never known, and cancelled work, are stored as no result if each end of the work is kept")
	void noResult() {
		Mockito.when(this.results.writeLost(Mockito.eq(Caller.ANY), Mockito.anyString())).thenReturn("no result");
		Mockito.when(this.results.keepsAll()).thenReturn(true);
		Mockito.when(this.results.selects(Mockito.any(), Mockito.eq(200))).thenReturn(true);
		HeldLeases failed = sharing();
		failed.result().expectResponse(this.response);
		failed.beginOnThread();
		failed.failed(new IllegalStateException());
		failed.end();
		failed.requestEnded();
		HeldLeases cancelled = sharing();
		cancelled.beginOnThread();
		cancelled.cancelled();
		cancelled.end();
		HeldLeases lost = sharing();
		lost.result().expectResponse(this.response);
		lost.leave("value");
		lost.end();
		lost.responseLost("It is for one client", 200);
		lost.requestEnded();
		Mockito.verify(this.first, Mockito.times(3)).releaseAsync("no result");
		HeldLeases notBegun = sharing();
		notBegun.cancelled();
		notBegun.abandon();
		Mockito.verify(this.first).releaseUnused();
	}

	@Test
	@DisplayName("A handler that is called again gives up the response to its first call")
	void calledAgain() {
		HeldLeases leases = sharing();
		leases.result().expectResponse(this.response);
		leases.beginOnThread();
		leases.failed(new IllegalStateException());
		leases.end();
		leases.giveUpResponse();
		Mockito.verify(this.first).releaseAsync();
	}

	@Test
	@DisplayName("A response that was made in the transaction is stored for the value it was made from, and is not awaited")
	void responseInTransaction() {
		Object transaction = new Object();
		Mockito.when(this.response.make("value")).thenReturn(PAYMENT_REQUIRED);
		Mockito.when(this.results.writeResponse(Caller.ANY, PAYMENT_REQUIRED, "value")).thenReturn("written response");
		HeldLeases leases = sharing();
		leases.result().expectResponse(this.response);
		leases.result().keepInTransaction("value", transaction);
		Mockito.verify(this.first).keepInTransaction("written response", transaction);
		leases.result().transactionEnded(new Object(), TransactionEnd.ROLLED_BACK);
		leases.result().transactionEnded(transaction, TransactionEnd.COMMITTED);
		leases.leave("value");
		leases.close();
		Mockito.verify(this.first).close("written response");
		HeldLeases changed = sharing();
		changed.result().expectResponse(this.response);
		changed.result().keepInTransaction("value", transaction);
		changed.result().transactionEnded(transaction, TransactionEnd.COMMITTED);
		changed.leave("another value");
		changed.end();
		assertThat(changed.awaitsResponse()).isTrue();
	}

	@Test
	@DisplayName("A response that was made in a transaction which was rolled back is not stored for the same value of a later attempt")
	void responseInRolledBackTransaction() {
		Object transaction = new Object();
		Mockito.when(this.response.make(null)).thenReturn(PAYMENT_REQUIRED);
		HeldLeases leases = sharing();
		leases.result().expectResponse(this.response);
		leases.result().keepInTransaction(null, transaction);
		leases.result().transactionEnded(transaction, TransactionEnd.ROLLED_BACK);
		leases.leave(null);
		leases.end();
		assertThat(leases.awaitsResponse()).isTrue();
	}

	@Test
	@DisplayName("The response that a reactive transaction has stored is replaced by the one that is sent, and kept if none is")
	void responseInReactiveTransaction() {
		joinReactiveTransactions();
		Response sent = Response.byErrorPage(400, null);
		Mockito.when(this.response.makeLater("value")).thenReturn(CompletableFuture.completedFuture(PAYMENT_REQUIRED));
		Mockito.when(this.results.writeResponse(Caller.ANY, PAYMENT_REQUIRED, "value")).thenReturn("written response");
		Mockito.when(this.results.writeResponse(Caller.ANY, sent, "value")).thenReturn("sent response");
		HeldLeases leases = sharing();
		leases.result().expectResponse(this.response);
		assertThat(leases.result().keepAtCommit("value", Set.of(CONNECTION))).isCompleted();
		assertThat(leases.result().atCommit(CONNECTION)).isEqualTo("written response");
		leases.result().transactionEnded(CONNECTION, TransactionEnd.COMMITTED);
		assertThat(leases.result().atCommit(CONNECTION)).isNull();
		leases.leave("value");
		leases.end();
		leases.responded(sent);
		Mockito.verify(this.first).releaseAsync("sent response");
		HeldLeases unsent = sharing();
		unsent.result().expectResponse(this.response);
		unsent.result().keepAtCommit("value", Set.of(CONNECTION));
		unsent.result().transactionEnded(CONNECTION, TransactionEnd.COMMITTED);
		unsent.leave("value");
		unsent.end();
		unsent.requestEnded();
		Mockito.verify(this.first).releaseAsync("written response");
	}

	@Test
	@DisplayName("Work that is cancelled during its commit keeps its value if the commit succeeds, and holds its lease until then")
	void cancelledDuringCommit() {
		HeldLeases leases = sharing();
		leases.beginOnThread();
		leases.begin();
		leases.result().keepAtCommit("value", Set.of(CONNECTION));
		assertThat(leases.beginCommit(CONNECTION)).isTrue();
		leases.cancelled();
		leases.end();
		Mockito.verify(this.first, Mockito.never()).releaseAsync();
		leases.result().transactionEnded(CONNECTION, TransactionEnd.COMMITTED);
		leases.endCommit();
		Mockito.verify(this.first).releaseAsync("written value");
	}

	@Test
	@DisplayName("Work that is cancelled during its commit keeps nothing if the commit fails")
	void cancelledDuringFailedCommit() {
		HeldLeases leases = sharing();
		leases.beginOnThread();
		leases.begin();
		leases.result().keepAtCommit("value", Set.of(CONNECTION));
		leases.beginCommit(CONNECTION);
		leases.cancelled();
		leases.end();
		leases.result().transactionEnded(CONNECTION, TransactionEnd.ROLLED_BACK);
		leases.endCommit();
		Mockito.verify(this.first).releaseAsync();
	}

	@Test
	@DisplayName("If the outcome of the commit is not known, cancelled work has no result where each end is kept")
	void cancelledDuringUnknownCommit() {
		Mockito.when(this.results.keepsAll()).thenReturn(true);
		Mockito.when(this.results.writeLost(Mockito.eq(Caller.ANY), Mockito.anyString())).thenReturn("no result");
		HeldLeases leases = sharing();
		leases.beginOnThread();
		leases.begin();
		leases.result().keepAtCommit("value", Set.of(CONNECTION));
		leases.beginCommit(CONNECTION);
		leases.cancelled();
		leases.end();
		leases.endCommit();
		Mockito.verify(this.first).releaseAsync("no result");
	}

	@Test
	@DisplayName("The commit of another reactive transaction does not keep the result")
	void otherReactiveTransaction() {
		joinReactiveTransactions();
		HeldLeases leases = sharing();
		leases.result().keepAtCommit("value", Set.of(CONNECTION));
		Object other = new Object();
		assertThat(leases.result().atCommit(other)).isNull();
		leases.result().transactionEnded(other, TransactionEnd.COMMITTED);
		assertThat(leases.result().atCommit(CONNECTION)).isEqualTo("written value");
	}

	@Test
	@DisplayName("A reactive transaction that was rolled back keeps nothing, and the next commit neither")
	void rolledBackReactiveTransaction() {
		joinReactiveTransactions();
		HeldLeases leases = sharing();
		leases.result().keepAtCommit("value", Set.of(CONNECTION));
		assertThat(leases.result().atCommit(CONNECTION)).isEqualTo("written value");
		leases.result().transactionEnded(CONNECTION, TransactionEnd.ROLLED_BACK);
		assertThat(leases.result().atCommit(CONNECTION)).isNull();
	}

	@Test
	@DisplayName("If the response is made later, its transaction stores that there is no result yet")
	void pendingInTransaction() {
		Object transaction = new Object();
		Mockito.when(this.results.writePending(Caller.ANY)).thenReturn("pending");
		HeldLeases leases = sharing();
		leases.result().expectResponse(this.response);
		leases.result().keepInTransaction("value", transaction);
		Mockito.verify(this.first).keepInTransaction("pending", transaction);
		leases.leave("value");
		leases.end();
		assertThat(leases.awaitsResponse()).isTrue();
	}

	@Test
	@DisplayName("An inner call joins a held lease of its lock, which is released after the call")
	void join() {
		HeldLeases leases = two();
		assertThat(leases.join(LockKey.of("c:1"))).isNull();
		Lease joined = leases.join(LockKey.of("b:1"));
		assertThat(joined).isNotNull();
		assertThat(joined.isHeld()).isTrue();
		leases.end();
		assertThat(leases.hold(LockKey.of("b:1"))).isTrue();
		joined.close();
		joined.close();
		assertThat(joined.isHeld()).isFalse();
		assertThat(leases.hold(LockKey.of("b:1"))).isFalse();
		assertThat(leases.join(LockKey.of("b:1"))).isNull();
		Mockito.verify(this.second).releaseAsync();
	}

	@Test
	@DisplayName("An inner call cannot join a lost lease")
	void joinLost() {
		HeldLeases leases = two();
		Mockito.when(this.second.isHeld()).thenReturn(false);
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> leases.join(LockKey.of("b:1")));
		leases.end();
		Mockito.verify(this.second).releaseAsync();
	}

	@Test
	@DisplayName("A call that received a result, or is skipped, has no leases and keeps nothing")
	void withoutLease() {
		SharedResult result = new SharedResult.Value("value");
		HeldLeases received = HeldLeases.of(method(), new Outcome(null, result),
				new SharedCall(this.results, Caller.ANY), ReleaseOn.METHOD);
		assertThat(received.result().received()).isEqualTo(result);
		assertThat(received.result().mayKeep()).isFalse();
		assertThat(received.leases()).isEmpty();
		received.leave("value");
		received.end();
		HeldLeases skipped = HeldLeases.ofSkippedCall(method());
		assertThat(skipped.result().isSkipped()).isTrue();
		assertThat(skipped.result().received()).isNull();
		skipped.close();
		Mockito.verifyNoInteractions(this.results);
	}

	private void joinReactiveTransactions() {
		Mockito.when(this.first.joinsReactiveTransactions()).thenReturn(true);
		Mockito.when(this.results.replays()).thenReturn(true);
	}

	private HeldLeases two() {
		return new HeldLeases(method(), List.of(this.first, this.second), this.first, ReleaseOn.METHOD);
	}

	private HeldLeases sharing() {
		return HeldLeases.of(method(), new Outcome(this.first, null), new SharedCall(this.results, Caller.ANY),
				ReleaseOn.METHOD);
	}

	private static Method method() {
		return ReflectionUtils.findMethod(HeldLeasesTests.class, "order");
	}

	private static SharedLease lease(String key) {
		SharedLease lease = Mockito.mock(SharedLease.class);
		Mockito.when(lease.isHeld()).thenReturn(true);
		Mockito.when(lease.key()).thenReturn(LockKey.of(key));
		Mockito.when(lease.releaseAsync()).thenReturn(CompletableFuture.completedFuture(null));
		Mockito.when(lease.releaseUnused()).thenReturn(CompletableFuture.completedFuture(null));
		Mockito.when(lease.releaseAsync(Mockito.any())).thenReturn(CompletableFuture.completedFuture(null));
		return lease;
	}

}
