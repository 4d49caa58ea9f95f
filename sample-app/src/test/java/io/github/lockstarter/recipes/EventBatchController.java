package io.github.lockstarter.recipes;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.IdempotencyRegistry;
import io.github.lockstarter.LockKey;

@RestController
class EventBatchController {

	private final IdempotencyRegistry idempotency;

	private final Ledger ledger;

	EventBatchController(IdempotencyRegistry idempotency, Ledger ledger) {
		this.idempotency = idempotency;
		this.ledger = ledger;
	}

	@PostMapping("/webhooks/payments")
	List<Receipt> receive(@RequestBody List<PaymentEvent> events) {
		return events.stream().map(this::book).toList();
	}

	private Receipt book(PaymentEvent event) {
		return this.idempotency.work(new LockKey("payment-events", event.id()), Receipt.class)
			.comparing(event)
			.keptFor(Duration.ofDays(7))
			.call(() -> this.ledger.book(event));
	}

	record PaymentEvent(String id, String account, BigDecimal amount) {

	}

	record Receipt(String number) {

	}

}
