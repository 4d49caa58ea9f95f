package io.github.lockstarter.service.lock;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import reactor.core.publisher.Mono;

import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.TokenLocks.TokenLock;
import io.github.lockstarter.service.Problem;
import io.github.lockstarter.service.client.Client;

/**
 * The locks of the clients, each within its limits. A client that disconnects before the
 * response ends the attempt.
 */
@Component
public class ClientLocks {

	private final LockRegistry registry;

	private final TokenLocks locks;

	private final Map<Client, Quota> quotas = new ConcurrentHashMap<>();

	ClientLocks(LockRegistry registry, TokenLocks locks) {
		this.registry = registry;
		this.locks = locks;
	}

	/**
	 * Acquires the lock, or extends it if the token holds it already.
	 * @param client the client
	 * @param name the name of the lock
	 * @param times the requested times
	 * @param token the token, chosen by the client
	 * @return the lock that the token holds
	 */
	public Mono<TokenLock> acquire(Client client, LockName name, RequestedTimes times, String token) {
		LockKey key = name.of(client);
		LockOptions options = options(client, key, times);
		return quota(client)
			.within(key,
					invalidIfRejected(
							Mono.fromFuture(() -> this.locks.acquireAsync(key, options, token).toCompletableFuture())))
			.onErrorMap(LockConflictException.class, ClientLocks::rejected);
	}

	/**
	 * Acquires the lock for a new token.
	 * @param client the client
	 * @param name the name of the lock
	 * @param times the requested times
	 * @param undo receives an action that releases the lock. It is needed if the token
	 * cannot be delivered to the client, because nobody could then release the lock
	 * @return the lock that the token holds
	 */
	public Mono<TokenLock> acquire(Client client, LockName name, RequestedTimes times, Consumer<Runnable> undo) {
		LockKey key = name.of(client);
		LockOptions options = options(client, key, times);
		return quota(client).within(key, Mono.defer(() -> {
			CompletableFuture<TokenLock> attempt = this.locks.acquireAsync(key, options).toCompletableFuture();
			undo.accept(() -> attempt
				.thenAccept((held) -> release(client, name, held.token()).onErrorComplete().subscribe()));
			return Mono.fromFuture(attempt);
		})).onErrorMap(LockConflictException.class, ClientLocks::rejected);
	}

	/**
	 * Returns it with the documented status, regardless of the configuration of the
	 * locks.
	 */
	private static LockConflictException rejected(LockConflictException conflict) {
		return conflict.withStatusCode(HttpStatus.CONFLICT);
	}

	private LockOptions options(Client client, LockKey key, RequestedTimes times) {
		return times.within(client, this.registry.options(key.name()));
	}

	/**
	 * Releases the lock.
	 * @param client the client of the lock
	 * @param name the name of the lock
	 * @param token the token that holds it
	 * @return completes when the lock is released
	 */
	public Mono<Void> release(Client client, LockName name, String token) {
		LockKey key = name.of(client);
		Mono<Boolean> release = Mono.fromFuture(() -> this.locks.releaseAsync(key, token).toCompletableFuture());
		return quota(client).releasing(key, invalidIfRejected(release))
			.flatMap((released) -> released ? Mono.empty() : Mono.error(Problem.notHolder()));
	}

	/**
	 * Returns the remaining time of the lock; empty if it is free.
	 * @param client the client of the lock
	 * @param name the name of the lock
	 * @return the remaining time
	 */
	public Mono<Optional<Duration>> remaining(Client client, LockName name) {
		return Mono.fromFuture(() -> this.locks.remainingAsync(name.of(client)).toCompletableFuture());
	}

	private Quota quota(Client client) {
		return this.quotas.computeIfAbsent(client, (each) -> new Quota(this.locks, each.maxLocks()));
	}

	/** Reports a token that the library rejects as an invalid request. */
	private static <T> Mono<T> invalidIfRejected(Mono<T> answer) {
		return answer.onErrorMap(IllegalArgumentException.class,
				(rejection) -> Problem.invalid("%s.".formatted(rejection.getMessage())));
	}

}
