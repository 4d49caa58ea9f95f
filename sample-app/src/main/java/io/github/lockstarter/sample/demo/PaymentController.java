package io.github.lockstarter.sample.demo;

import java.net.URI;

import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.sample.Payment;

/**
 * One payment under locks in two stores: the handlers differ only in the name of the
 * lock, whose store is in the configuration.
 */
@RestController
class PaymentController {

	private final RecordedPayment payment;

	PaymentController(RecordedPayment payment) {
		this.payment = payment;
	}

	@PostMapping("/demo/payment")
	@ExclusiveRequest(name = "payment", key = "#userName", onConflict = OnConflict.WAIT, waitTime = "1m", replay = "1h")
	@Transactional
	ResponseEntity<Payment> pay(@RequestParam String userName, @RequestHeader HttpHeaders headers) {
		return paid(userName, headers);
	}

	@PostMapping("/demo/payment-in-database")
	@ExclusiveRequest(name = "payment-in-database", key = "#userName", onConflict = OnConflict.WAIT, waitTime = "1m",
			replay = "1h")
	@Transactional
	ResponseEntity<Payment> payInDatabase(@RequestParam String userName, @RequestHeader HttpHeaders headers) {
		return paid(userName, headers);
	}

	private ResponseEntity<Payment> paid(String userName, HttpHeaders headers) {
		Payment made = this.payment.pay(userName, headers);
		return ResponseEntity.created(URI.create("/payments/" + made.paymentId())).body(made);
	}

}
