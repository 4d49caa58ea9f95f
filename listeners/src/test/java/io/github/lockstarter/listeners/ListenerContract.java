package io.github.lockstarter.listeners;

import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.context.Lifecycle;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.testing.TestJvm;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The guarantees of the documented recipes, with two instances that consume from one
 * broker.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ListenerContract {

	private final TestLedger ledger = new TestLedger();

	private String[] properties = {};

	private Server first;

	private Server second;

	/** Returns the application class. */
	abstract Class<?> application();

	/** Returns the type of the bean with all listeners of an application. */
	abstract Class<? extends Lifecycle> listeners();

	/** Starts the broker, and returns the connection properties for an application. */
	abstract String[] startBroker();

	abstract void stopBroker();

	/**
	 * Sends a message that may be delivered to another instance than the previous one.
	 */
	abstract void send(Payment payment);

	/** Returns the number of unacknowledged messages. */
	abstract long left();

	/** Returns whether the payment was put aside. */
	abstract boolean isPutAside(String id);

	@BeforeAll
	void start() {
		this.properties = Stream
			.of(Stream.of(startBroker()), Stream.of(TestRedis.properties()),
					Stream.of("lock.names.payments.ttl=2s", "lock.names.payments.wait=500ms",
							"lock.redis.key-prefix=" + getClass().getSimpleName()))
			.flatMap(Function.identity())
			.toArray(String[]::new);
		this.first = newServer();
		this.second = newServer();
	}

	private Server newServer() {
		return Server.start(application(), listeners(), this.ledger, this.properties);
	}

	@AfterAll
	void stop() {
		this.first.close();
		this.second.close();
		long left = left();
		stopBroker();
		assertThat(left).as("messages that have not been acknowledged").isZero();
	}

	final Server server() {
		return this.first;
	}

	@Test
	@DisplayName("A duplicate gets the result of the first message, and is not processed")
	void duplicate() {
		long answered = count(Event.RESULT);
		Payment payment = payment();
		for (int i = 0; i < 3; i++) {
			send(payment);
		}
		Awaitility.await().until(() -> count(Event.RESULT) == answered + 2);
		assertThat(this.ledger.begun(payment.id())).isOne();
	}

	@Test
	@DisplayName("A duplicate that arrives at another instance during processing waits, and is not processed")
	void atTheSameTime() {
		long contended = count(Event.CONTENDED);
		long answered = count(Event.RESULT);
		Payment payment = payment();
		this.ledger.hold(payment.id());
		send(payment);
		Awaitility.await().until(() -> this.ledger.begun(payment.id()) == 1);
		send(payment);
		Awaitility.await().until(() -> count(Event.CONTENDED) > contended);
		this.ledger.release(payment.id());
		Awaitility.await().until(() -> count(Event.RESULT) == answered + 1);
		assertThat(this.ledger.begun(payment.id())).isOne();
	}

	@Test
	@DisplayName("A message whose processing fails is redelivered and processed again; its duplicates are not")
	void failure() {
		long answered = count(Event.RESULT);
		Payment payment = payment();
		this.ledger.failOnce(payment.id());
		send(payment);
		Awaitility.await().until(() -> this.ledger.booked(payment.id()) == 1);
		send(payment);
		Awaitility.await().until(() -> count(Event.RESULT) == answered + 1);
		assertThat(this.ledger.begun(payment.id())).isEqualTo(2);
	}

	@Test
	@DisplayName("A message whose wait for the lock times out is redelivered until it is processed")
	void rejected() {
		long rejected = count(Event.TIMEOUT);
		Payment payment = payment();
		try (Lease other = this.first.bean(LockRegistry.class).acquire("payments:" + payment.id())) {
			send(payment);
			Awaitility.await().until(() -> count(Event.TIMEOUT) >= rejected + 4);
			assertThat(other.isHeld()).isTrue();
		}
		Awaitility.await().until(() -> this.ledger.booked(payment.id()) == 1);
		assertThat(this.ledger.begun(payment.id())).isOne();
	}

	@Test
	@DisplayName("A message with the id of another payment is not processed, and is put aside")
	void otherPayment() {
		Payment payment = payment();
		send(payment);
		Awaitility.await().until(() -> this.ledger.booked(payment.id()) == 1);
		send(new Payment(payment.id(), payment.account(), payment.amount() + 1));
		Awaitility.await().until(() -> isPutAside(payment.id()));
		assertThat(this.ledger.begun(payment.id())).isOne();
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("A message whose instance was killed is redelivered to another instance, and processed there unless processing had finished")
	void killed(KilledServer.Moment moment) {
		long answered = count(Event.RESULT);
		Payment payment = payment();
		this.first.stopListeners();
		this.second.stopListeners();
		try (TestJvm killed = TestJvm.start(KilledServer.class,
				Stream.concat(Stream.of(application().getName(), moment), Stream.of(this.properties)).toArray())) {
			send(payment);
			assertThat(killed.awaitEnd()).isOne();
			assertThat(killed.output()).contains("begun " + payment.id());
		}
		this.first.startListeners();
		this.second.startListeners();
		boolean ended = moment == KilledServer.Moment.BEFORE_THE_ACKNOWLEDGEMENT;
		Awaitility.await()
			.until(() -> ended ? count(Event.RESULT) == answered + 1 : this.ledger.booked(payment.id()) == 1);
		assertThat(this.ledger.begun(payment.id())).isEqualTo(ended ? 0 : 1);
	}

	private static Payment payment() {
		return new Payment(UUID.randomUUID().toString(), "4711", 10);
	}

	private long count(Event event) {
		return this.first.count(event) + this.second.count(event);
	}

}
