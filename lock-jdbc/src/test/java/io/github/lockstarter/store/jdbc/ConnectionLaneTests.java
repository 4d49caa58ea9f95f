package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

import com.zaxxer.hikari.HikariConfig;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.store.StoreCalls;
import io.github.lockstarter.store.StoreCalls.NotDone;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The threads on which statements run, and their repetition.
 */
@Tag("jdk")
class ConnectionLaneTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	@AutoClose
	private final StorePool pool = pool();

	@AutoClose
	private final StoreCalls calls = new StoreCalls("jdbc", TIMEOUT);

	@AutoClose
	private final ConnectionLane lane = new ConnectionLane("lane-", this.pool, 1, 0, this.calls);

	private static StorePool pool() {
		HikariConfig settings = new HikariConfig();
		settings.setJdbcUrl("jdbc:h2:mem:lane");
		return StorePool.create(settings, new DatabaseUrl(settings.getJdbcUrl()), 1, TIMEOUT, new H2Table("locks"));
	}

	@Test
	@DisplayName("A blocking caller executes its statement itself if a connection is free; any other caller does not")
	void blockingCaller() {
		assertThat(this.lane.runBlocking(thread())).isCompletedWithValue(Thread.currentThread());
		assertThat(this.lane.run(thread())).succeedsWithin(TIMEOUT).isNotEqualTo(Thread.currentThread());
	}

	@Test
	@DisplayName("If all connections are in use, a blocking caller does not execute its statement itself, and queues behind earlier callers")
	void inOrder() {
		CountDownLatch inUse = new CountDownLatch(1);
		CompletionStage<Integer> first = this.lane.run((connection, prior) -> await(inUse));
		List<String> order = new ArrayList<>();
		CompletionStage<Boolean> second = this.lane.run((connection, prior) -> order.add("second"));
		CompletionStage<Boolean> third = this.lane.runBlocking((connection, prior) -> order.add("third"));
		CompletionStage<Boolean> fourth = this.lane.run((connection, prior) -> order.add("fourth"));
		assertThat(third).isNotCompleted();
		inUse.countDown();
		assertThat(CompletableFuture.allOf(first.toCompletableFuture(), second.toCompletableFuture(),
				third.toCompletableFuture(), fourth.toCompletableFuture()))
			.succeedsWithin(TIMEOUT);
		assertThat(order).containsExactly("second", "third", "fourth");
	}

	@Test
	@DisplayName("Blocking and other callers together use no more connections than configured")
	void noMoreConnections() {
		CountDownLatch inUse = new CountDownLatch(1);
		Thread blocking = new Thread(() -> this.lane.runBlocking((connection, prior) -> await(inUse)));
		blocking.start();
		Awaitility.await().until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == 1);
		CompletionStage<Thread> next = this.lane.run(thread());
		Awaitility.await().until(() -> this.lane.hasWaiting());
		assertThat(this.pool.getHikariPoolMXBean().getActiveConnections()).isOne();
		assertThat(next).isNotCompleted();
		inUse.countDown();
		assertThat(next).succeedsWithin(TIMEOUT);
	}

	@Test
	@DisplayName("The statement of an interrupted caller runs on another thread, since drivers may close the connection of an interrupted thread")
	void interrupted() {
		Thread.currentThread().interrupt();
		CompletionStage<Thread> done = this.lane.runBlocking(thread());
		assertThat(Thread.interrupted()).isTrue();
		assertThat(done).succeedsWithin(TIMEOUT).isNotEqualTo(Thread.currentThread());
	}

	@Test
	@DisplayName("When a caller is interrupted while it waits for a pooled connection, another thread executes its statement")
	void interruptedInPool() throws SQLException {
		CompletableFuture<Thread> done = new CompletableFuture<>();
		Thread caller = new Thread(() -> this.lane.runBlocking(thread()).thenAccept(done::complete));
		try (Connection taken = this.pool.getConnection()) {
			caller.start();
			Awaitility.await().until(() -> this.pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 1);
			caller.interrupt();
			Awaitility.await().until(() -> !caller.isAlive());
			assertThat(taken.isClosed()).isFalse();
		}
		assertThat(done).succeedsWithin(TIMEOUT).isNotEqualTo(caller);
	}

	@Test
	@DisplayName("Blocking callers do not use the connections reserved for background threads")
	void reserved() {
		try (ConnectionLane reserved = new ConnectionLane("reserved-", this.pool, 1, 1, this.calls)) {
			assertThat(reserved.runBlocking(thread())).succeedsWithin(TIMEOUT).isNotEqualTo(Thread.currentThread());
		}
	}

	@Test
	@DisplayName("A statement that the database rolled back is repeated, but not on its caller's thread")
	void rolledBack() {
		List<Thread> threads = new ArrayList<>();
		CompletionStage<Integer> done = this.lane.runBlocking((connection, prior) -> {
			assertThat(prior).isEqualTo(PriorAttempt.NOT_EXECUTED);
			threads.add(Thread.currentThread());
			if (threads.size() < 4) {
				throw new SQLException("deadlock", (threads.size() == 1) ? "40P01" : "40001");
			}
			return threads.size();
		});
		assertThat(done).succeedsWithin(TIMEOUT).isEqualTo(4);
		assertThat(threads.get(0)).isEqualTo(Thread.currentThread());
		assertThat(threads.subList(1, 4)).containsOnly(threads.get(1)).doesNotContain(Thread.currentThread());
	}

	@Test
	@DisplayName("A statement whose connection was lost is repeated, with the information that it may have been executed")
	void lostConnection() {
		List<PriorAttempt> runs = new ArrayList<>();
		CompletionStage<Boolean> done = this.lane.runBlocking((connection, prior) -> {
			runs.add(prior);
			if (prior == PriorAttempt.NOT_EXECUTED) {
				throw new SQLException("connection lost", "08006");
			}
			return true;
		});
		assertThat(done).succeedsWithin(TIMEOUT).isEqualTo(true);
		assertThat(runs).containsExactly(PriorAttempt.NOT_EXECUTED, PriorAttempt.MAYBE_EXECUTED);
	}

	@Test
	@DisplayName("A connection that was closed while it was idle is replaced")
	void closedConnection() throws SQLException {
		Connection ofDriver;
		try (Connection idle = this.pool.getConnection()) {
			ofDriver = idle.unwrap(Connection.class);
		}
		ofDriver.close();
		assertThat(this.lane.runBlocking(thread())).succeedsWithin(TIMEOUT);
	}

	@Test
	@DisplayName("A refused statement had no effect, unless it was refused as a repetition after a lost connection")
	void refused() {
		CompletionStage<Boolean> refused = this.lane.runBlocking((connection, prior) -> {
			throw new SQLException("no such table", "42P01");
		});
		assertThat(refused).failsWithin(TIMEOUT).withThrowableThat().withCauseInstanceOf(NotDone.class);
		CompletionStage<Boolean> unknown = this.lane.run((connection, prior) -> {
			throw new SQLException("lost, then refused", (prior == PriorAttempt.MAYBE_EXECUTED) ? "42P01" : "08006");
		});
		assertThat(unknown).failsWithin(TIMEOUT).withThrowableThat().withCauseInstanceOf(SQLException.class);
	}

	private static Statements<Thread> thread() {
		return (connection, prior) -> Thread.currentThread();
	}

	private static int await(CountDownLatch latch) {
		try {
			latch.await();
			return 0;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
