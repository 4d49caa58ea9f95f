package io.github.lockstarter.sample;

import java.util.UUID;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Makes payments.
 */
@Service
public class PaymentService {

	private static final int AMOUNT = 100;

	private final JdbcClient jdbc;

	private final PointsService points;

	PaymentService(JdbcClient jdbc, PointsService points) {
		this.jdbc = jdbc;
		this.points = points;
	}

	/**
	 * Makes a payment in the transaction of the caller. When it is committed, points are
	 * granted, which takes a moment.
	 * @param slowdown how many times as long as usual the points take
	 */
	@Transactional(propagation = Propagation.MANDATORY)
	public Payment pay(String userName, int slowdown) {
		Payment payment = new Payment(UUID.randomUUID(), userName, AMOUNT);
		this.jdbc.sql("insert into payment (payment_id, user_name, amount) values (?, ?, ?)")
			.params(payment.paymentId(), payment.userName(), payment.amount())
			.update();
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				PaymentService.this.points.grant(0, AMOUNT, slowdown);
			}

		});
		return payment;
	}

}
