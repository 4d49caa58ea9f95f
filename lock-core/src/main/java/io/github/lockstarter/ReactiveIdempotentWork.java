package io.github.lockstarter;

import java.util.function.Supplier;

import org.jspecify.annotations.NonNull;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.transaction.reactive.TransactionalOperator;

/**
 * {@link IdempotentWork} that is reactive. The description is immutable, and may be used
 * for any number of calls.
 *
 * @param <T> the type of the result
 * @see IdempotentWork#reactive()
 */
public interface ReactiveIdempotentWork<T extends @Nullable Object> {

	/**
	 * Runs the work in a transaction, which begins after the lock was acquired, and ends
	 * before it is released. Any error of the work rolls back. If the lock is in the
	 * database of the transaction, by {@code lock.store=jdbc} or
	 * {@code lock.names.<name>.store=jdbc}, and with an {@code R2dbcTransactionManager},
	 * the result is written in the transaction: the work is done exactly once, also if
	 * the instance is killed. Otherwise, the result is kept after the commit.
	 * <p>
	 * <strong>The lock is checked before the commit only if the transaction manager is a
	 * bean whose class is {@code R2dbcTransactionManager}.</strong> If it was lost, the
	 * transaction is rolled back, and the call fails with a {@link LeaseLostException}.
	 * With any other manager, such as that of MongoDB, a subclass, or one that is no
	 * bean, the transaction is committed although the lock was lost, and the result is
	 * kept although the transaction was rolled back without an error. There, call
	 * {@link Lease#isHeld()} at the end of the work, on the {@link Lease} in the Reactor
	 * context.
	 * <p>
	 * If the call takes place in a transaction that {@code transactions} joins, that
	 * transaction may still be rolled back, so the result is not kept.
	 * @param transactions runs the work in a transaction
	 * @return the work with the transaction
	 */
	ReactiveIdempotentWork<T> in(TransactionalOperator transactions);

	/**
	 * Runs the work for each subscription, or emits the kept result. Nothing happens
	 * before. The lock is held until the {@link Mono} of the work ends. An empty one is a
	 * result, too. A subscription that is cancelled keeps nothing, unless the transaction
	 * of the work is being committed: then the commit goes on, and the result is kept.
	 * <p>
	 * A subscription in a transaction of its caller keeps nothing either, because that
	 * transaction may still be rolled back: a repetition runs. Subscribe outside of the
	 * transaction, and begin it with {@link #in}.
	 * @param task creates the work. It is called once for each subscription that runs the
	 * work, on a thread that may be blocked only if the subscribing thread may
	 * @return the value of the work, or the kept one, or one of the exceptions that are
	 * described for {@link IdempotentWork}
	 */
	Mono<@NonNull T> call(Supplier<? extends Mono<? extends T>> task);

}
