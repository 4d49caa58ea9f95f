package io.github.lockstarter.service;

import reactor.core.publisher.Mono;

import org.springframework.boot.health.contributor.AbstractReactiveHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.stereotype.Component;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.TokenLocks;

/**
 * Tells whether the lock store answers, whichever it is.
 */
@Component
class LockStoreHealthIndicator extends AbstractReactiveHealthIndicator {

	private static final LockKey PROBE = new LockKey("service.", "health");

	private final TokenLocks locks;

	LockStoreHealthIndicator(TokenLocks locks) {
		super("The lock store does not answer");
		this.locks = locks;
	}

	@Override
	protected Mono<Health> doHealthCheck(Health.Builder builder) {
		return Mono.fromFuture(() -> this.locks.remainingAsync(PROBE).toCompletableFuture())
			.map((remaining) -> builder.up().build());
	}

}
