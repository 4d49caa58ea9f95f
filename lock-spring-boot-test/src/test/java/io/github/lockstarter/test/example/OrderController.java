package io.github.lockstarter.test.example;

import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;

@RestController
class OrderController {

	private final AtomicInteger placed = new AtomicInteger();

	@PostMapping("/orders")
	@ExclusiveRequest(name = "orders", key = "header('Idempotency-Key')", replay = "24h")
	ResponseEntity<String> place() {
		return ResponseEntity.status(HttpStatus.CREATED).body("order " + this.placed.incrementAndGet());
	}

}
