package io.github.lockstarter.sample;

import java.net.URI;
import java.util.UUID;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;

/**
 * Accepts orders. A client that did not receive the response repeats the request with the
 * same {@code Idempotency-Key}, and receives the response to the first request.
 */
@RestController
class OrderController {

	@PostMapping("/orders")
	@ExclusiveRequest(name = "orders", key = "header('Idempotency-Key')", replay = "24h")
	ResponseEntity<PlacedOrder> place(@RequestBody Order order) {
		PlacedOrder placed = new PlacedOrder(UUID.randomUUID(), order.item(), order.quantity());
		return ResponseEntity.created(URI.create("/orders/" + placed.orderId())).body(placed);
	}

}
