package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.registry.lease.Turn;
import io.github.lockstarter.registry.observe.StoreFailure;
import io.github.lockstarter.registry.request.Answer;
import io.github.lockstarter.registry.request.Answer.Failed;
import io.github.lockstarter.registry.request.Answer.HeldByToken;
import io.github.lockstarter.registry.request.Answer.Refused;
import io.github.lockstarter.registry.request.Caller;
import io.github.lockstarter.registry.request.TokenRequest;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.StoredLock;

/**
 * Locks held by tokens, in the store of a registry. A waiter for one queues with the
 * waiters for a lease; once it is granted, it is as if held by another instance.
 */
public final class DefaultTokenLocks implements TokenLocks {

	private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/=-]{16,128}");

	private final DefaultLockRegistry registry;

	private final EngineRuntime runtime;

	/**
	 * Creates locks.
	 * @param registry whose store and queues to use
	 */
	public DefaultTokenLocks(DefaultLockRegistry registry) {
		this.registry = registry;
		this.runtime = registry.runtime();
	}

	@Override
	public CompletionStage<TokenLock> acquireAsync(LockKey key, LockOptions options) {
		checkCapability();
		String token = this.registry.owners().next();
		CompletableFuture<TokenLock> result = new CompletableFuture<>();
		TokenRequest request = request(key, options, token, () -> releaseAsync(key, token),
				(asked, given) -> complete(result, asked, given));
		return this.registry.submit(request, result);
	}

	/**
	 * Extends the lock first, past the queue: its holder would be refused there. A caller
	 * that is refused there may have become the holder meanwhile, by another attempt.
	 */
	@Override
	public CompletionStage<TokenLock> acquireAsync(LockKey key, LockOptions options, String token) {
		check(token);
		checkCapability();
		CompletableFuture<TokenLock> result = new CompletableFuture<>();
		TokenRequest request = request(key, options, token, null, (asked, given) -> {
			if (given instanceof Refused refused) {
				extend(asked, token, result, () -> {
					asked.observeRefusal(refused);
					complete(result, asked, refused);
				});
			}
			else {
				complete(result, asked, given);
			}
		});
		extend(request, token, result, () -> this.registry.submit(request, result));
		return result;
	}

	private TokenRequest request(LockKey key, LockOptions options, String token, @Nullable Runnable release,
			BiConsumer<TokenRequest, Answer> action) {
		Caller caller = new Caller(this.runtime.callbacks(),
				(request, given) -> action.accept((TokenRequest) request, given));
		return new TokenRequest(key, options, caller, this.runtime, this.registry.observer(), token, release);
	}

	private void complete(CompletableFuture<TokenLock> result, TokenRequest request, Answer given) {
		try {
			if (given instanceof HeldByToken held && !result.complete(held.lock())) {
				request.giveBack(given);
			}
			else if (given instanceof Failed failed) {
				result.completeExceptionally(failed.failure());
			}
			else if (given instanceof Refused refused) {
				result.completeExceptionally(this.registry.conflict(request, refused));
			}
		}
		catch (Throwable ex) {
			result.completeExceptionally(ex);
		}
	}

	/** Completes the result if the token holds the lock. */
	private void extend(TokenRequest request, String token, CompletableFuture<TokenLock> result, Runnable otherwise) {
		LockKey key = request.key();
		Duration ttl = request.options().ttl();
		Turn turn = new Turn(token, this.runtime.nanoTime(), ttl);
		ask(key, () -> {
			StoredLock stored = stored(key);
			return stored.renew(token, ttl)
				.thenCompose((extended) -> extended ? stored.acquire(AcquireCommand.of(token, ttl).forSharedToken())
						: CompletableFuture.completedStage(null));
		}).whenCompleteAsync((acquired, failure) -> {
			if (failure != null) {
				request.end(Event.ERROR, failure);
				result.completeExceptionally(known(key, failure));
			}
			else if (acquired instanceof Granted granted) {
				request.end(Event.GRANTED, null);
				result.complete(turn.held(granted.fencingToken(), true, this.runtime.nanoTime()));
			}
			else if (!result.isDone()) {
				otherwise.run();
			}
			else {
				request.abandon();
				request.end(Event.CANCELLED, null);
			}
		}, this.runtime.callbacks());
	}

	@Override
	public CompletionStage<Boolean> releaseAsync(LockKey key, String token) {
		check(token);
		checkCapability();
		return answer(key, () -> stored(key).release(token, null)).whenComplete((released, failure) -> {
			if (Boolean.TRUE.equals(released) && this.registry.store().capabilities().contains(Capability.LOCAL)) {
				this.registry.table().wake(key);
			}
		});
	}

	@Override
	public CompletionStage<Optional<Duration>> remainingAsync(LockKey key) {
		checkCapability();
		return answer(key, () -> stored(key).remaining());
	}

	/** Answers on a thread that belongs neither to the store nor to the engine. */
	private <T> CompletionStage<T> answer(LockKey key, Supplier<CompletionStage<T>> question) {
		return ask(key, question).handleAsync((result, failure) -> {
			if (failure != null) {
				throw known(key, failure);
			}
			return result;
		}, this.runtime.callbacks());
	}

	/** Asks the store; whatever it throws is an answer, too. */
	private <T> CompletionStage<T> ask(LockKey key, Supplier<CompletionStage<T>> question) {
		CompletionStage<T> answer;
		try {
			answer = Objects.requireNonNull(question.get(), "the store has no answer");
		}
		catch (Throwable ex) {
			answer = CompletableFuture.failedFuture(ex);
		}
		return answer.whenComplete((result, failure) -> this.registry.observer().storeAnswered(key, failure));
	}

	/** A store may fail in a way of its own. */
	private static LockException known(LockKey key, Throwable failure) {
		Throwable cause = StoreFailure.cause(failure);
		return (cause instanceof LockException known) ? known : new LockStoreException(key, "the store failed", cause);
	}

	private StoredLock stored(LockKey key) {
		return this.registry.store().lock(key);
	}

	private void checkCapability() {
		if (!this.registry.store().capabilities().contains(Capability.HOLDS_FOR_TOKENS)) {
			throw new LockConfigurationException(
					"Locks in a %s cannot be held by tokens."
						.formatted(this.registry.store().getClass().getSimpleName()),
					"Choose another lock.store, or, if the store is your own, declare Capability.HOLDS_FOR_TOKENS and hold them.");
		}
	}

	private static void check(String token) {
		Assert.isTrue(TOKEN.matcher(token).matches(),
				"A token must be 16 to 128 letters, digits and characters of -._~+/=");
	}

}
