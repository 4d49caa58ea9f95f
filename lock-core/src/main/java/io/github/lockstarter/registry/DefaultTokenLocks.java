package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;
import org.springframework.util.function.SingletonSupplier;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.registry.lease.Turn;
import io.github.lockstarter.registry.observe.StoreFailure;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.registry.acquisition.Delivery;
import io.github.lockstarter.registry.acquisition.NewTokenAcquisition;
import io.github.lockstarter.registry.acquisition.RegistryContext;
import io.github.lockstarter.registry.acquisition.SharedToken;
import io.github.lockstarter.registry.acquisition.SharedTokenAcquisition;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.TokenStoredLock;

/**
 * Grants locks that are held by tokens, in the stores of a registry. Waiters queue
 * together with the waiters for leases. Once granted, such a lock is treated like one
 * that another instance holds.
 */
public final class DefaultTokenLocks implements TokenLocks {

	private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/=-]{16,128}");

	private final DefaultLockRegistry registry;

	private final RegistryContext context;

	/**
	 * Creates token locks.
	 * @param registry the registry with the store and the queues
	 */
	public DefaultTokenLocks(DefaultLockRegistry registry) {
		this.registry = registry;
		this.context = registry.context();
	}

	@Override
	public CompletionStage<TokenLock> acquireAsync(LockKey key, LockOptions options) {
		checkCapability(key);
		CompletableFuture<TokenLock> result = new CompletableFuture<>();
		return this.registry.submitter()
			.submit(new NewTokenAcquisition(key, options, delivery(result), this.context, this::releaseAsync), result);
	}

	/**
	 * Tries to extend the lock before the acquisition is queued: the queue would reject
	 * its holder. A rejected caller may have become the holder through another attempt in
	 * the meantime, so it tries to extend again.
	 */
	@Override
	public CompletionStage<TokenLock> acquireAsync(LockKey key, LockOptions options, String token) {
		check(token);
		checkCapability(key);
		CompletableFuture<TokenLock> result = new CompletableFuture<>();
		SharedTokenAcquisition acquisition = new SharedTokenAcquisition(key, options, delivery(result), this.context,
				new TokenInStore(token, SingletonSupplier.of(() -> stored(key))));
		acquisition.extend(() -> {
			if (result.isDone()) {
				acquisition.abandon();
			}
			else {
				this.registry.submitter().submit(acquisition, result);
			}
		});
		return result;
	}

	private Delivery delivery(CompletableFuture<TokenLock> result) {
		return CallerAnswers.async(result, this.registry.answers()::tokenLock, this.context.runtime().callbacks());
	}

	@Override
	public CompletionStage<Boolean> releaseAsync(LockKey key, String token) {
		check(token);
		checkCapability(key);
		return answer(key, () -> stored(key).release(token, null)).whenComplete((released, failure) -> {
			if (Boolean.TRUE.equals(released) && store(key).capabilities().contains(Capability.LOCAL)) {
				this.registry.entries().wake(key);
			}
		});
	}

	@Override
	public CompletionStage<Optional<Duration>> remainingAsync(LockKey key) {
		checkCapability(key);
		return answer(key, () -> Capability.HOLDS_FOR_TOKENS.as(TokenStoredLock.class, stored(key)).remaining());
	}

	/** Answers on a thread that belongs neither to the store nor to the engine. */
	private <T> CompletionStage<T> answer(LockKey key, Supplier<CompletionStage<T>> question) {
		return ask(key, question).handleAsync((result, failure) -> {
			if (failure != null) {
				throw known(key, failure);
			}
			return result;
		}, this.context.runtime().callbacks());
	}

	private <T> CompletionStage<T> ask(LockKey key, Supplier<CompletionStage<T>> question) {
		return StoreFailure.caught(question)
			.whenComplete((answer, failure) -> this.context.observer().storeAnswered(key, failure));
	}

	/** A store may fail with an exception of its own. */
	private static LockException known(LockKey key, Throwable failure) {
		Throwable cause = StoreFailure.cause(failure);
		return (cause instanceof LockException known) ? known : new LockStoreException(key, "the store failed", cause);
	}

	private StoredLock stored(LockKey key) {
		return store(key).lock(key);
	}

	private LockStore store(LockKey key) {
		return this.registry.stores().of(key.name());
	}

	private void checkCapability(LockKey key) {
		if (!store(key).capabilities().contains(Capability.HOLDS_FOR_TOKENS)) {
			throw new LockConfigurationException(
					"Locks in a %s cannot be held by tokens.".formatted(store(key).getClass().getSimpleName()),
					"Choose another store for the lock, or support Capability.HOLDS_FOR_TOKENS in your own store.");
		}
	}

	private static void check(String token) {
		Assert.isTrue(TOKEN.matcher(token).matches(),
				"A token must be 16 to 128 letters, digits and characters of -._~+/=");
	}

	/** A token that may hold a lock in the store. */
	private final class TokenInStore implements SharedToken {

		private final String value;

		private final Supplier<StoredLock> stored;

		TokenInStore(String value, Supplier<StoredLock> stored) {
			this.value = value;
			this.stored = stored;
		}

		@Override
		public String value() {
			return this.value;
		}

		@Override
		public void extend(SharedTokenAcquisition acquisition, Runnable otherwise) {
			EngineRuntime runtime = DefaultTokenLocks.this.context.runtime();
			Duration ttl = acquisition.options().ttl();
			Turn turn = new Turn(this.value, runtime.nanoTime(), ttl);
			ask(acquisition.key(), () -> extended(acquisition)).whenComplete((acquired, failure) -> {
				if (failure != null) {
					acquisition.fail("the store failed", StoreFailure.cause(failure));
				}
				else if (acquired instanceof Granted granted) {
					acquisition.grantToToken(turn.held(granted.fencingToken(), true, runtime.nanoTime()));
				}
				else {
					otherwise.run();
				}
			});
		}

		/** Returns the answer of the store; {@code null} if the token holds no lock. */
		private CompletionStage<@Nullable AcquireResult> extended(SharedTokenAcquisition acquisition) {
			StoredLock lock = this.stored.get();
			return lock.renew(this.value, acquisition.options().ttl())
				.thenCompose((extended) -> extended ? lock.acquire(acquisition.command(this.value))
						: CompletableFuture.completedStage(null));
		}

	}

}
