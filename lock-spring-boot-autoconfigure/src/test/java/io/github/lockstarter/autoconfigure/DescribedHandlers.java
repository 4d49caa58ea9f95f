package io.github.lockstarter.autoconfigure;

import java.net.URI;
import java.util.Map;

import io.swagger.v3.oas.annotations.responses.ApiResponse;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

/**
 * Handlers under locks, which are described in an OpenAPI document.
 */
@RestController
class DescribedHandlers {

	@PostMapping("/payments")
	@ExclusiveRequest(name = "payments", key = "header('Idempotency-Key')", replay = "24h", keep = "2xx, 402")
	Mono<ResponseEntity<Payment>> pay(@RequestParam long amount, @RequestParam(required = false) @Nullable String how,
			Lease lease) {
		if ("lost".equals(how)) {
			return Mono.error(() -> new LeaseLostException(lease.key()));
		}
		if ("down".equals(how)) {
			return Mono.error(() -> new LockStoreException(new LockKey("payments", ""), "down as asked", null));
		}
		return Mono.fromSupplier(() -> ResponseEntity.created(URI.create("/payments/" + lease.fencingToken()))
			.body(new Payment(amount)));
	}

	@PostMapping("/declared")
	@ExclusiveRequest(name = "declared", key = "header('idempotency-key')", replay = "90m")
	Mono<String> declared(@RequestHeader("Idempotency-Key") String key) {
		return Mono.just(key);
	}

	@PutMapping("/waiting")
	@ExclusiveRequest(name = "waiting", key = "#user", onConflict = OnConflict.WAIT, waitTime = "1ms", status = 423)
	Mono<String> waiting(@RequestParam(required = false) @Nullable String user) {
		return Mono.just("done");
	}

	@PostMapping("/whole")
	@ExclusiveRequest(name = "whole", status = 422)
	Mono<String> whole() {
		return Mono.just("done");
	}

	@PostMapping("/own")
	@ApiResponse(responseCode = "409", description = "The application says it itself")
	@ExclusiveRequest(name = "own")
	Mono<Map<String, String>> own() {
		return Mono.just(Map.of());
	}

	@PostMapping("/without")
	Mono<String> without() {
		return Mono.just("done");
	}

	record Payment(long amount) {

	}

}
