package io.github.lockstarter.idempotency;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.ResultUnavailableException;
import io.github.lockstarter.completion.CompletionAdapterRegistry;
import io.github.lockstarter.completion.CompletionAdapterRegistry.GuardedWork;
import io.github.lockstarter.completion.GuardedCall;
import io.github.lockstarter.completion.HandledRequest;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.LeaseContext;
import io.github.lockstarter.completion.ReleaseOn;
import io.github.lockstarter.completion.ReturnType;
import io.github.lockstarter.interceptor.CallerTasks;
import io.github.lockstarter.interceptor.PendingLeases;
import io.github.lockstarter.interceptor.CompletionStageCall;
import io.github.lockstarter.result.Outcome;
import io.github.lockstarter.result.SharedCall;
import io.github.lockstarter.result.SharedResult;

/**
 * One call of idempotent work. It acquires the lock and runs the work under it, or
 * returns the result of an earlier call.
 */
final class IdempotentCall implements GuardedCall, CompletionStageCall {

	private final DefaultIdempotencyRegistry registry;

	private final LockKey key;

	private final LockOptions options;

	private final SharedCall sharing;

	private final ReturnType returnType;

	private final GuardedWork work;

	/**
	 * Creates a call.
	 * @param returnType the type of what the work returns
	 * @throws io.github.lockstarter.LockConfigurationException if the configured options
	 * of the lock have no effect on idempotent work
	 */
	IdempotentCall(DefaultIdempotencyRegistry registry, IdempotentWorkSettings settings, ReturnType returnType,
			GuardedWork work) {
		this.registry = registry;
		this.key = settings.key();
		this.options = settings.options(registry.locks());
		this.sharing = settings.sharing();
		this.returnType = returnType;
		this.work = work;
	}

	@Override
	public ReturnType returnType() {
		return this.returnType;
	}

	@Override
	public @Nullable HandledRequest request() {
		return null;
	}

	@Override
	public CallerTasks tasks() {
		return this.registry.tasks();
	}

	/**
	 * Acquires the lock or receives the result of an earlier call, on this thread.
	 * @throws io.github.lockstarter.LockException if neither is available
	 */
	HeldLeases acquire() {
		return held(
				this.sharing.results().acquire(this.registry.locks(), this.key, this.options, this.sharing.caller()));
	}

	@Override
	public CompletableFuture<HeldLeases> acquireAsync(Executor executor) {
		PendingLeases acquired = new PendingLeases();
		CompletableFuture<Outcome> attempt = this.sharing.results()
			.acquireAsync(this.registry.locks(), this.key, this.options, this.sharing.caller(), executor);
		attempt.whenComplete((outcome, failure) -> {
			if (failure != null) {
				acquired.completeExceptionally(failure);
			}
			else {
				acquired.grant(held(outcome));
			}
		});
		acquired.follow(attempt);
		return acquired;
	}

	private HeldLeases held(Outcome outcome) {
		return HeldLeases.of(null, outcome, this.sharing, ReleaseOn.METHOD);
	}

	@Override
	public @Nullable Object proceed(HeldLeases leases) throws Throwable {
		return CompletionAdapterRegistry.run(this, leases, () -> run(leases));
	}

	@Override
	public @Nullable Object proceedLater(HeldLeases leases) throws Throwable {
		return proceed(leases);
	}

	/**
	 * Runs the work with a result that does not end the leases, or returns that of the
	 * earlier call.
	 */
	@Nullable Object run(HeldLeases leases) throws Throwable {
		SharedResult received = leases.result().received();
		if (received != null) {
			return CompletionAdapterRegistry.completed(this.returnType, value(received));
		}
		LeaseContext.push(leases);
		try {
			return this.work.run();
		}
		finally {
			LeaseContext.pop();
		}
	}

	/** The response to a request, under the same key, is not a result of work. */
	private @Nullable Object value(SharedResult received) {
		if (received instanceof SharedResult.Value result) {
			return result.value();
		}
		throw new ResultUnavailableException(this.key.name());
	}

}
