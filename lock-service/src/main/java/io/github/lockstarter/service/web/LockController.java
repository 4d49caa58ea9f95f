package io.github.lockstarter.service.web;

import java.time.Duration;

import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.service.client.Client;
import io.github.lockstarter.service.lock.ClientLocks;
import io.github.lockstarter.service.lock.LockName;
import io.github.lockstarter.service.lock.Terms;

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

	@PutMapping("/locks/{name}")
	Mono<ResponseEntity<HeldLock>> acquire(Client client, @PathVariable String name,
			@RequestParam(required = false) @Nullable String ttl,
			@RequestParam(name = "wait", required = false) @Nullable String waitTime,
			@RequestHeader(name = TOKEN, required = false) @Nullable String token) {
		return this.locks.acquire(client, new LockName(name), new Terms(ttl, waitTime), token)
			.map((held) -> ResponseEntity.status(held.extended() ? HttpStatus.OK : HttpStatus.CREATED)
				.cacheControl(CacheControl.noStore())
				.body(HeldLock.of(name, held)));
	}

	@DeleteMapping("/locks/{name}")
	Mono<ResponseEntity<Void>> release(Client client, @PathVariable String name, @RequestHeader(TOKEN) String token) {
		return this.locks.release(client, new LockName(name), token)
			.thenReturn(ResponseEntity.noContent().cacheControl(CacheControl.noStore()).build());
	}

	@GetMapping("/locks/{name}")
	Mono<ResponseEntity<LockState>> look(Client client, @PathVariable String name) {
		return this.locks.remaining(client, new LockName(name))
			.map((remaining) -> ResponseEntity.ok()
				.cacheControl(CacheControl.noStore())
				.body(new LockState(name, remaining.isPresent(), remaining.map(Duration::toMillis).orElse(0L))));
	}

}
