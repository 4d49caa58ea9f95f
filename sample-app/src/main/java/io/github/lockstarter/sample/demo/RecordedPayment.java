package io.github.lockstarter.sample.demo;

import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.github.lockstarter.sample.Payment;
import io.github.lockstarter.sample.PaymentService;

/**
 * Payments that are written down, so that the page can show when they ran and where.
 */
@Service
class RecordedPayment {

	private final PaymentService payments;

	private final Executions executions;

	private final Instances instances;

	RecordedPayment(PaymentService payments, Executions executions, Instances instances) {
		this.payments = payments;
		this.executions = executions;
		this.instances = instances;
	}

	/** Pays in the transaction of the caller. */
	Payment pay(String userName, HttpHeaders headers) {
		RequestNumbers numbers = RequestNumbers.of(headers);
		this.executions.begin(userName, numbers.request(), this.instances.own().name());
		Payment payment = this.payments.pay(userName, numbers.slowdown());
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCompletion(int status) {
				RecordedPayment.this.executions.end(userName, numbers.request());
			}

		});
		return payment;
	}

}
