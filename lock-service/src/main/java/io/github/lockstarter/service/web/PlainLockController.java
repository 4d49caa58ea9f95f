package io.github.lockstarter.service.web;

import java.util.List;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.MethodNotAllowedException;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.service.Problem;
import io.github.lockstarter.service.client.Client;
import io.github.lockstarter.service.lock.ClientLocks;
import io.github.lockstarter.service.lock.LockName;
import io.github.lockstarter.service.lock.RequestedTimes;

/**
 * Locks for clients that support only {@code GET} and {@code DELETE}. The {@code GET}
 * acquires a lock, so it is unsafe in the sense of HTTP: a client or proxy that repeats
 * or prefetches it acquires a lock, too.
 */
@RestController
@Tag(name = "plain")
class PlainLockController {

	private final ClientLocks locks;

	PlainLockController(ClientLocks locks) {
		this.locks = locks;
	}

	@GetMapping(path = "/lock", produces = MediaType.TEXT_PLAIN_VALUE)
	@Operation(operationId = "acquirePlain", summary = "Acquires a lock by an unsafe GET",
			description = "A client or proxy that repeats or prefetches the request acquires a lock, too.")
	@ApiResponse(responseCode = "200", description = "Acquired: the body is the token")
	Mono<ResponseEntity<String>> acquire(Client client, HttpMethod method, @RequestParam String hash,
			@RequestParam(required = false) @Nullable String ttl,
			@RequestParam(name = "wait", required = false) @Nullable String waitTime, ServerWebExchange exchange) {
		// Spring maps HEAD to this method, too. Its response would not deliver the token.
		if (!HttpMethod.GET.equals(method)) {
			throw new MethodNotAllowedException(method, List.of(HttpMethod.GET, HttpMethod.DELETE));
		}
		return this.locks
			.acquire(client, new LockName(hash), new RequestedTimes(ttl, waitTime),
					(undo) -> ExchangeFilter.ifUndelivered(exchange, undo))
			.map((held) -> ResponseEntity.ok().body(held.token()));
	}

	@DeleteMapping("/lock")
	@Operation(operationId = "releasePlain", summary = "Releases a lock",
			description = "The token is the header Lock-Token or the parameter token.")
	@ApiResponse(responseCode = "204", description = "Released")
	Mono<ResponseEntity<Void>> release(Client client, @RequestParam String hash,
			@RequestHeader(name = LockController.TOKEN, required = false) @Nullable String header,
			@RequestParam(name = "token", required = false) @Nullable String parameter) {
		String token = (header != null) ? header : parameter;
		if (token == null) {
			throw Problem.invalid("Send the token of the lock as the header Lock-Token or the parameter token.");
		}
		return this.locks.release(client, new LockName(hash), token).thenReturn(ResponseEntity.noContent().build());
	}

}
