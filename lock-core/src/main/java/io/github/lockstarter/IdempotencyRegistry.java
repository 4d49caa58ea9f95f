package io.github.lockstarter;

import org.jspecify.annotations.NonNull;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ParameterizedTypeReference;

/**
 * Runs work once per key, and gives its result to repetitions: for a listener whose
 * message is delivered twice, a webhook that is sent again, or a batch job that is
 * restarted.
 *
 * <pre>
 * Receipt receipt = idempotency.work("webhook:" + event.id(), Receipt.class)
 *     .comparing(event)
 *     .keptFor(Duration.ofDays(7))
 *     .call(() -&gt; payments.book(event));
 * </pre>
 *
 * The promises are those of a bean method with
 * {@code @ExclusiveRequest(key = "…", replay = "…")}. The work runs while its lock is
 * held, across all applications that share the store. When it ends with a value, the
 * value is kept under the key. A failure keeps nothing, and a repetition runs. If a
 * instance is killed after the work and before its result is kept, a repetition runs,
 * too, unless both are
 * {@linkplain IdempotentWork#in(org.springframework.transaction.support.TransactionOperations)
 * in one transaction}.
 * <p>
 * <strong>Call it outside of a transaction.</strong> What is done in a transaction of the
 * caller, such as that of a {@code @Transactional} listener, may still be rolled back
 * after the call, so its result is not kept, and a repetition runs. Leave the transaction
 * to {@code in(…)} instead.
 * <p>
 * <strong>The key alone identifies the work.</strong> Unlike a response to a request, a
 * result does not belong to a principal: if it is only for one user or tenant, put the
 * user or the tenant into the key. A key that is empty or blank, such as that of a
 * message without an identifier, is rejected with a {@link MissingLockKeyException}.
 * <p>
 * The lock is the one that {@link LockRegistry} and annotated methods know under the same
 * key. It is not reentrant: work that begins within other work with the same key is a
 * conflict.
 *
 * @see LockRegistry
 */
public interface IdempotencyRegistry {

	/**
	 * Describes work. Nothing runs before one of the methods of the description is
	 * called. The result may be {@code null}: in Kotlin, name the type as in
	 * {@code work<Receipt?>(key, Receipt::class.java)}.
	 * @param <T> the type of the result
	 * @param key the lock under which the work runs, and the key of its result
	 * @param resultType the type of the result, which is kept as JSON
	 * @return the work
	 * @throws LockConfigurationException if values of the type do not read back whole, or
	 * the store cannot keep results. The message names the property that would be lost
	 */
	<T extends @Nullable Object> IdempotentWork<T> work(LockKey key, Class<@NonNull T> resultType);

	/**
	 * Describes work like {@link #work(LockKey, Class)}, with a generic result.
	 * @param <T> the type of the result
	 * @param key the lock under which the work runs, and the key of its result
	 * @param resultType the type of the result, as in {@code new
	 * ParameterizedTypeReference<List<Receipt>>() {}}
	 * @return the work
	 * @throws LockConfigurationException if values of the type do not read back whole, or
	 * the store cannot keep results. The message names the property that would be lost
	 */
	<T extends @Nullable Object> IdempotentWork<T> work(LockKey key, ParameterizedTypeReference<@NonNull T> resultType);

	/**
	 * Describes work without a result. Otherwise like {@link #work(LockKey, Class)}.
	 * @param key the lock under which the work runs, and the key of what is kept: that it
	 * was done
	 * @return the work, whose value is {@code null}
	 * @throws LockConfigurationException if the store cannot keep results
	 */
	default IdempotentWork<@Nullable Void> work(LockKey key) {
		return work(key, Void.class);
	}

	/**
	 * Describes work like {@link #work(LockKey, Class)}.
	 * @param <T> the type of the result
	 * @param lock the name of the lock and the key, as in {@code "webhook:evt_1"}
	 * @param resultType the type of the result
	 * @return the work
	 * @throws LockConfigurationException as for {@link #work(LockKey, Class)}
	 * @throws IllegalArgumentException if the name of the lock is not valid
	 * @see LockKey#of
	 */
	default <T extends @Nullable Object> IdempotentWork<T> work(String lock, Class<@NonNull T> resultType) {
		return work(LockKey.of(lock), resultType);
	}

	/**
	 * Describes work like {@link #work(LockKey, ParameterizedTypeReference)}.
	 * @param <T> the type of the result
	 * @param lock the name of the lock and the key, as in {@code "webhook:evt_1"}
	 * @param resultType the type of the result
	 * @return the work
	 * @throws LockConfigurationException as for
	 * {@link #work(LockKey, ParameterizedTypeReference)}
	 * @throws IllegalArgumentException if the name of the lock is not valid
	 * @see LockKey#of
	 */
	default <T extends @Nullable Object> IdempotentWork<T> work(String lock,
			ParameterizedTypeReference<@NonNull T> resultType) {
		return work(LockKey.of(lock), resultType);
	}

	/**
	 * Describes work without a result like {@link #work(LockKey)}.
	 * @param lock the name of the lock and the key, as in {@code "webhook:evt_1"}
	 * @return the work, whose value is {@code null}
	 * @throws LockConfigurationException as for {@link #work(LockKey)}
	 * @throws IllegalArgumentException if the name of the lock is not valid
	 * @see LockKey#of
	 */
	default IdempotentWork<@Nullable Void> work(String lock) {
		return work(LockKey.of(lock));
	}

}
