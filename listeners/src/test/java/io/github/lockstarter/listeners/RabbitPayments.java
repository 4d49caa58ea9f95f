package io.github.lockstarter.listeners;

import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.support.AmqpHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.stereotype.Component;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

@Component
class RabbitPayments {

	private final Ledger ledger;

	RabbitPayments(Ledger ledger) {
		this.ledger = ledger;
	}

	@RabbitListener(queues = "payments")
	@ExclusiveRequest(name = "payments", key = "#messageId", replay = "24h", onConflict = OnConflict.WAIT)
	public void pay(@Payload Payment payment, @Header(AmqpHeaders.MESSAGE_ID) String messageId) {
		this.ledger.book(payment);
	}

}
