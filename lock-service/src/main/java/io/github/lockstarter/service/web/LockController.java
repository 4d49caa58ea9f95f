package io.github.lockstarter.service.web;

import java.time.Duration;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.service.client.Client;
import io.github.lockstarter.service.lock.ClientLocks;
import io.github.lockstarter.service.lock.LockName;
import io.github.lockstarter.service.lock.RequestedTimes;

/**
 * Locks as resources.
 */
@RestController
@Tag(name = "locks")
class LockController {

	static final String TOKEN = "Lock-Token";

	private final ClientLocks locks;

	LockController(ClientLocks locks) {
		this.locks = locks;
	}

	@PutMapping(path = "/locks/{name}", produces = MediaType.APPLICATION_JSON_VALUE)
	@Operation(operationId = "acquire", summary = "Acquires a lock, or extends it",
			description = "A client that chooses its own Lock-Token can repeat the request when a response was lost.")
	@ApiResponse(responseCode = "201", description = "Acquired")
	@ApiResponse(responseCode = "200", description = "Extended: the token held the lock already")
	Mono<ResponseEntity<HeldLock>> acquire(Client client, @PathVariable String name,
			@RequestParam(required = false) @Nullable String ttl,
			@RequestParam(name = "wait", required = false) @Nullable String waitTime,
			@RequestHeader(name = TOKEN, required = false) @Nullable String token, ServerWebExchange exchange) {
		LockName lock = new LockName(name);
		RequestedTimes times = new RequestedTimes(ttl, waitTime);
		return ((token != null) ? this.locks.acquire(client, lock, times, token)
				: this.locks.acquire(client, lock, times, (undo) -> ExchangeFilter.ifUndelivered(exchange, undo)))
			.map((held) -> ResponseEntity.status(held.extended() ? HttpStatus.OK : HttpStatus.CREATED)
				.body(HeldLock.of(name, held)));
	}

	@DeleteMapping("/locks/{name}")
	@Operation(operationId = "release", summary = "Releases a lock")
	@ApiResponse(responseCode = "204", description = "Released")
	Mono<ResponseEntity<Void>> release(Client client, @PathVariable String name, @RequestHeader(TOKEN) String token) {
		return this.locks.release(client, new LockName(name), token).thenReturn(ResponseEntity.noContent().build());
	}

	@GetMapping(path = "/locks/{name}", produces = MediaType.APPLICATION_JSON_VALUE)
	@Operation(operationId = "getState", summary = "Returns whether a lock is held, and for how long")
	@ApiResponse(responseCode = "200", description = "The current state of the lock")
	Mono<ResponseEntity<LockState>> getState(Client client, @PathVariable String name) {
		return this.locks.remaining(client, new LockName(name))
			.map((remaining) -> ResponseEntity.ok()
				.body(new LockState(name, remaining.isPresent(), remaining.map(Duration::toMillis).orElse(0L))));
	}

}
