package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import org.springframework.util.Assert;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.TokenStore;

/**
 * Locks held by tokens, in the store of a registry. Who waits for one queues with those
 * who wait for a lease; once it is granted, it is as if held by somebody elsewhere.
 */
public final class StoreTokenLocks implements TokenLocks {

	private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/=-]{16,128}");

	private final StoreLockRegistry registry;

	private final Engine engine;

	/**
	 * Creates locks.
	 * @param registry whose store and queues to use
	 */
	public StoreTokenLocks(StoreLockRegistry registry) {
		this.registry = registry;
		this.engine = registry.engine();
	}

	@Override
	public CompletionStage<TokenLock> acquireAsync(LockKey key, LockOptions options) {
		tokens();
		String token = Owners.next();
		Waiter waiter = waiter(key, options).holdingBy(token, () -> releaseAsync(key, token));
		CompletableFuture<TokenLock> result = new CompletableFuture<>();
		join(waiter, result, result::completeExceptionally);
		return result;
	}

	/**
	 * Extends the lock first, past the queue: its holder would be refused there. Who is
	 * refused there may have become the holder meanwhile, by another attempt.
	 */
	@Override
	public CompletionStage<TokenLock> acquireAsync(LockKey key, LockOptions options, String token) {
		check(token);
		tokens();
		CompletableFuture<TokenLock> result = new CompletableFuture<>();
		Waiter waiter = waiter(key, options).holdingBy(token, null);
		Consumer<LockConflictException> refused = (conflict) -> extend(waiter, token, result,
				() -> result.completeExceptionally(conflict));
		extend(waiter, token, result, () -> join(waiter, result, refused));
		return result;
	}

	private Waiter waiter(LockKey key, LockOptions options) {
		return Waiter.async(new Attempt(this.engine, key, options), this.engine.answers());
	}

	/** Completes the result if the token holds the lock. */
	private void extend(Waiter waiter, String token, CompletableFuture<TokenLock> result, Runnable otherwise) {
		LockKey key = waiter.key();
		Duration ttl = waiter.options().ttl();
		Bid bid = Bid.now(token, ttl);
		this.engine.ask(key, () -> this.engine.store().renew(key, token, ttl))
			.thenCompose((extended) -> extended ? this.engine.ask(key, () -> tokens().claim(key, token, ttl, null))
					: CompletableFuture.completedStage(null))
			.whenCompleteAsync((claimed, failure) -> {
				if (failure != null) {
					waiter.end(Event.ERROR, failure);
					result.completeExceptionally(known(key, failure));
				}
				else if (claimed instanceof Granted granted) {
					waiter.end(Event.GRANTED, null);
					result.complete(bid.held(granted.fencingToken(), true));
				}
				else if (!result.isDone()) {
					otherwise.run();
				}
				else {
					waiter.cancel();
				}
			}, this.engine.answers());
	}

	private void join(Waiter waiter, CompletableFuture<TokenLock> result, Consumer<LockConflictException> refused) {
		this.registry.joinAsync(waiter, result, (joined, none) -> {
			TokenLock held = joined.held();
			if (held == null) {
				refused.accept(joined.conflict());
			}
			else if (!result.complete(held)) {
				joined.giveBackToken();
			}
			return true;
		});
	}

	@Override
	public CompletionStage<Boolean> releaseAsync(LockKey key, String token) {
		check(token);
		return answer(key, () -> this.engine.store().release(key, token)).whenComplete((released, failure) -> {
			if (Boolean.TRUE.equals(released) && this.engine.store().isLocal()) {
				this.registry.wake(key);
			}
		});
	}

	@Override
	public CompletionStage<Optional<Duration>> remainingAsync(LockKey key) {
		TokenStore tokens = tokens();
		return answer(key, () -> tokens.remaining(key));
	}

	/** Answers on a thread that belongs neither to the store nor to the timer. */
	private <T> CompletionStage<T> answer(LockKey key, Supplier<CompletionStage<T>> question) {
		return this.engine.ask(key, question).handleAsync((result, failure) -> {
			if (failure != null) {
				throw known(key, failure);
			}
			return result;
		}, this.engine.answers());
	}

	/** A store may fail in a way of its own. */
	private static LockException known(LockKey key, Throwable failure) {
		Throwable cause = OutageLog.cause(failure);
		return (cause instanceof LockException known) ? known : new LockStoreException(key, "the store failed", cause);
	}

	private TokenStore tokens() {
		LockStore store = this.engine.store();
		if (!(store instanceof TokenStore tokens)) {
			throw new LockConfigurationException(
					"Locks in a %s cannot be held by tokens.".formatted(store.getClass().getSimpleName()),
					"Choose another lock.store, or, if the store is your own, implement TokenStore.");
		}
		return tokens;
	}

	private static void check(String token) {
		Assert.isTrue(TOKEN.matcher(token).matches(),
				"A token must be 16 to 128 letters, digits and characters of -._~+/=");
	}

}
