package io.github.lockstarter.listeners;

import org.springframework.jms.annotation.JmsListener;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.stereotype.Component;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

@Component
class JmsPayments {

	private final Ledger ledger;

	JmsPayments(Ledger ledger) {
		this.ledger = ledger;
	}

	@JmsListener(destination = "payments")
	@ExclusiveRequest(name = "payments", key = "#payment.id", replay = "24h", onConflict = OnConflict.WAIT)
	public void pay(@Payload Payment payment) {
		this.ledger.book(payment);
	}

}
