package io.github.lockstarter.stripe;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * Replaces Stripe's API: payments are made in this process, and returned in the format
 * that Stripe's clients expect.
 */
@RestController
class PaymentIntents {

	/** The payments that all instances have made or declined, in order. */
	static final List<String> charges = new CopyOnWriteArrayList<>();

	/** The idempotency keys of the requests to all instances. */
	static final List<String> keys = new CopyOnWriteArrayList<>();

	/** Controls how long payments take. */
	static volatile CountDownLatch permitted = new CountDownLatch(0);

	@PostMapping("/v1/payment_intents")
	@ExclusiveRequest(name = "payment-intents", key = "header('Idempotency-Key')", replay = "24h", keep = "2xx, 402")
	ResponseEntity<PaymentIntent> create(@RequestParam long amount, @RequestParam String currency,
			@RequestParam(defaultValue = "") String description) throws InterruptedException {
		permitted.await();
		String id = "pi_" + UUID.randomUUID();
		charges.add(id);
		if (amount > 1000) {
			throw new CardDeclined(id);
		}
		return ResponseEntity.ok(new PaymentIntent(id, "payment_intent", amount, currency, description, "succeeded"));
	}

	@ExceptionHandler
	ResponseEntity<Map<String, Object>> declined(CardDeclined exception) {
		return ResponseEntity.status(HttpStatus.PAYMENT_REQUIRED)
			.body(Map.of("error", Map.of("type", "card_error", "code", "card_declined", "message",
					"Your card was declined.", "charge", exception.getMessage())));
	}

	record PaymentIntent(String id, String object, long amount, String currency, String description, String status) {

	}

	static class CardDeclined extends RuntimeException {

		CardDeclined(String charge) {
			super(charge);
		}

	}

}
