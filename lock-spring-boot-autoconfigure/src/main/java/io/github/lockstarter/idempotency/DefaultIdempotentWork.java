package io.github.lockstarter.idempotency;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionOperations;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;

import io.github.lockstarter.IdempotentWork;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.ReactiveIdempotentWork;
import io.github.lockstarter.completion.CompletionAdapterRegistry.GuardedWork;
import io.github.lockstarter.completion.ReturnType;
import io.github.lockstarter.interceptor.ReactiveAcquisition;
import io.github.lockstarter.interceptor.CompletionStageCalls;
import io.github.lockstarter.key.ContentFingerprint;

/**
 * The default {@link IdempotentWork}. Its classes for reactive work and for transactions
 * are loaded only by the methods that need them.
 */
final class DefaultIdempotentWork<T extends @Nullable Object> implements IdempotentWork<T> {

	private static final boolean REACTOR_PRESENT = ClassUtils.isPresent("reactor.core.publisher.Mono",
			DefaultIdempotentWork.class.getClassLoader());

	private final DefaultIdempotencyRegistry registry;

	private final IdempotentWorkSettings settings;

	private final @Nullable TransactionOperations transactions;

	/**
	 * Creates work.
	 * @param transactions runs the work in a transaction; {@code null} for none
	 */
	DefaultIdempotentWork(DefaultIdempotencyRegistry registry, IdempotentWorkSettings settings,
			@Nullable TransactionOperations transactions) {
		this.registry = registry;
		this.settings = settings;
		this.transactions = transactions;
	}

	@Override
	public IdempotentWork<T> comparing(@Nullable Object... content) {
		String text = ContentFingerprint.of(this.settings.key().name(), content);
		return with(this.settings.withFingerprint(this.registry.fingerprint().of(text)));
	}

	@Override
	public IdempotentWork<T> keptFor(Duration time) {
		return with(this.settings.keptFor(time));
	}

	@Override
	public IdempotentWork<T> withOptions(LockOptions options) {
		return with(this.settings.withOptions(options));
	}

	private IdempotentWork<T> with(IdempotentWorkSettings settings) {
		return new DefaultIdempotentWork<>(this.registry, settings, this.transactions);
	}

	@Override
	public IdempotentWork<T> in(TransactionOperations transactions) {
		return new DefaultIdempotentWork<>(this.registry, this.settings, transactions);
	}

	@Override
	public ReactiveIdempotentWork<T> reactive() {
		checkNoTransaction("reactive", "reactive().in(transactionalOperator)");
		return new DefaultReactiveIdempotentWork<>(this, null);
	}

	@Override
	// The value is null only if the type of the result allows it.
	@SuppressWarnings({ "unchecked", "NullAway" })
	public <X extends Throwable> T call(Task<? extends T, X> task) throws X {
		Assert.state(!isOnEventLoop(),
				"Idempotent work was called on the thread of an event loop, which must not wait for the store: use reactive() or callAsync");
		IdempotentCall call = newCall(ReturnType.ofCode(Object.class),
				(this.transactions != null) ? new TransactionalWork(task::run, this.transactions) : task::run);
		try {
			return (T) call.proceed(call.acquire());
		}
		catch (Throwable ex) {
			// Of the work, or unchecked.
			throw (X) ex;
		}
	}

	@Override
	@SuppressWarnings("unchecked")
	public CompletionStage<T> callAsync(Supplier<? extends CompletionStage<? extends T>> task) {
		checkNoTransaction("callAsync", "call");
		IdempotentCall call = newCall(ReturnType.ofCode(CompletionStage.class), () -> {
			CompletionStage<? extends T> stage = task.get();
			Assert.state(stage != null, "The work returned null instead of a CompletionStage");
			return stage;
		});
		try {
			return (CompletionStage<T>) Objects.requireNonNull(CompletionStageCalls.call(call, !isOnEventLoop()));
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	IdempotentCall newCall(ReturnType type, GuardedWork work) {
		return new IdempotentCall(this.registry, this.settings, type, work);
	}

	private void checkNoTransaction(String method, String instead) {
		Assert.state(this.transactions == null,
				() -> "%s does not run work in a transaction of TransactionOperations, which belongs to one thread: use %s"
					.formatted(method, instead));
	}

	private static boolean isOnEventLoop() {
		return REACTOR_PRESENT && ReactiveAcquisition.isOnEventLoop();
	}

}
