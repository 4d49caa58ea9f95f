package io.github.lockstarter.listeners;

import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

@Component
class KafkaPayments {

	private final Ledger ledger;

	KafkaPayments(Ledger ledger) {
		this.ledger = ledger;
	}

	@KafkaListener(topics = "payments", groupId = "ledger")
	@ExclusiveRequest(name = "payments", key = "#payment.id", replay = "24h", onConflict = OnConflict.WAIT)
	public void pay(Payment payment) {
		this.ledger.book(payment);
	}

}
