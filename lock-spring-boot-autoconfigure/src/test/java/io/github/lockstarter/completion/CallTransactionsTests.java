package io.github.lockstarter.completion;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.InOrder;
import org.mockito.Mockito;

import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.registry.sharing.SharedLease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the transactions of a call mean for its result and its leases.
 */
class CallTransactionsTests {

	private final SharedLease lease = lease();

	private final CallTransactions transactions = new CallTransactions(List.of(this.lease));

	@AfterEach
	void endTransaction() {
		TransactionSynchronizationManager.clear();
	}

	@ParameterizedTest
	@CsvSource({ "'', true", "c, true", "r, false", "cr, true", "rc, true", "rr, false", "crr, true", "rrc, true" })
	@DisplayName("A result is final unless everything was rolled back: what was committed counts, before or after a rollback")
	void outcomes(String ends, boolean areFinal) {
		ends.chars()
			.forEach((end) -> this.transactions.record("transaction",
					(end == 'c') ? TransactionEnd.COMMITTED : TransactionEnd.ROLLED_BACK));
		assertThat(this.transactions.objection(false) == null).isEqualTo(areFinal);
	}

	@Test
	@DisplayName("While a transaction of the thread is open, no result is final, even if another one has been committed")
	void open() {
		this.transactions.record("transaction", TransactionEnd.COMMITTED);
		TransactionSynchronizationManager.setActualTransactionActive(true);
		assertThat(this.transactions.objection(false)).isNotNull();
		TransactionSynchronizationManager.setActualTransactionActive(false);
		assertThat(this.transactions.objection(false)).isNull();
	}

	@Test
	@DisplayName("A transaction of the work's own that was committed makes its result final, although one around the call is open")
	void ownWithinAnother() {
		TransactionSynchronizationManager.setActualTransactionActive(true);
		this.transactions.beginOnThread();
		this.transactions.own(Set.of("own"));
		this.transactions.record("audit", TransactionEnd.COMMITTED);
		assertThat(this.transactions.objection(false)).isNotNull();
		this.transactions.record("own", TransactionEnd.COMMITTED);
		assertThat(this.transactions.objection(false)).isNull();
	}

	@Test
	@DisplayName("Work that began in a transaction of its caller is not final when it ends on another thread")
	void endsOnAnotherThread() {
		TransactionSynchronizationManager.setActualTransactionActive(true);
		this.transactions.beginOnThread();
		TransactionSynchronizationManager.clear();
		assertThat(this.transactions.objection(false)).isNotNull();
	}

	@Test
	@DisplayName("A reactive transaction that began after the lock was acquired is told from the one around the call")
	void withinAnotherReactive() {
		assertThat(this.transactions.containReactive("own")).isTrue();
		this.transactions.withinReactive(Set.of("outer"));
		assertThat(this.transactions.containReactive("outer")).isFalse();
		assertThat(this.transactions.containReactive("own")).isTrue();
	}

	@Test
	@DisplayName("Within a reactive transaction no result is final")
	void withinReactive() {
		this.transactions.withinReactive(Set.of("outer"));
		this.transactions.record("transaction", TransactionEnd.COMMITTED);
		assertThat(this.transactions.objection(false)).isNotNull();
	}

	@Test
	@DisplayName("A transaction that is not joined is committed while the lease is held, and not after its loss")
	void notJoined() {
		this.transactions.checkBeforeCommit("transaction", null);
		Mockito.when(this.lease.isHeld()).thenReturn(false);
		assertThatExceptionOfType(LeaseLostException.class)
			.isThrownBy(() -> this.transactions.checkBeforeCommit("transaction", null));
		Mockito.verify(this.lease, Mockito.never()).holdUntilCommit(Mockito.any());
	}

	@Test
	@DisplayName("The outermost joined transaction keeps other holders away until its end, and inner ones do not")
	void joined() {
		Mockito.when(this.lease.joinsTransactions()).thenReturn(true);
		Mockito.when(this.lease.holdUntilCommit("joined")).thenReturn(true);
		this.transactions.checkBeforeCommit("outer", "joined");
		this.transactions.checkBeforeCommit("inner", "joined");
		this.transactions.ended("inner");
		this.transactions.ended("outer");
		this.transactions.ended("outer");
		InOrder order = Mockito.inOrder(this.lease);
		order.verify(this.lease).holdUntilCommit("joined");
		order.verify(this.lease).transactionEnded();
		Mockito.verify(this.lease).holdUntilCommit("joined");
		Mockito.verify(this.lease).transactionEnded();
	}

	@Test
	@DisplayName("A lease that cannot join is checked after the database was asked for the others, which takes time")
	void lostMeanwhile() {
		SharedLease other = lease();
		Mockito.when(this.lease.joinsTransactions()).thenReturn(true);
		Mockito.when(this.lease.holdUntilCommit("joined")).thenAnswer((call) -> {
			Mockito.when(other.isHeld()).thenReturn(false);
			return true;
		});
		CallTransactions ofBoth = new CallTransactions(List.of(other, this.lease));
		assertThatExceptionOfType(LeaseLostException.class)
			.isThrownBy(() -> ofBoth.checkBeforeCommit("transaction", "joined"));
	}

	@Test
	@DisplayName("A joined transaction is not committed if the store no longer has the lease")
	void joinedAfterLoss() {
		Mockito.when(this.lease.joinsTransactions()).thenReturn(true);
		assertThatExceptionOfType(LeaseLostException.class)
			.isThrownBy(() -> this.transactions.checkBeforeCommit("transaction", "joined"));
		assertThat(this.lease.isHeld()).isTrue();
	}

	@Test
	@DisplayName("A lease of a registry of the application is checked, since it cannot join a transaction")
	void otherLeases() {
		Lease other = Mockito.mock(Lease.class);
		Mockito.when(other.isHeld()).thenReturn(true);
		CallTransactions ofOther = new CallTransactions(List.of(other));
		ofOther.checkBeforeCommit("transaction", "joined");
		ofOther.ended("transaction");
		Mockito.verify(other).isHeld();
	}

	@Test
	@DisplayName("Without a transaction at the begin of the work, each transaction has begun under the lock")
	void begunUnderLock() {
		this.transactions.beginOnThread();
		assertThat(this.transactions.contain("transaction")).isTrue();
	}

	private static SharedLease lease() {
		SharedLease lease = Mockito.mock(SharedLease.class);
		Mockito.when(lease.isHeld()).thenReturn(true);
		Mockito.when(lease.key()).thenReturn(LockKey.of("order:1"));
		return lease;
	}

}
