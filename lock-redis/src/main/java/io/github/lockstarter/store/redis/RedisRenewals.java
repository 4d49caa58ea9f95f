package io.github.lockstarter.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.store.LockStore.Renewal;

/**
 * Renews many locks in as few commands as Redis accepts.
 */
final class RedisRenewals {

	/** So that no script occupies Redis for long: about half a millisecond. */
	private static final int MOST_AT_ONCE = 500;

	private final RedisCalls calls;

	private volatile int size;

	/**
	 * Creates renewals.
	 * @param together whether the keys of several locks can be in one command
	 */
	RedisRenewals(RedisCalls calls, boolean together) {
		this.calls = calls;
		this.size = together ? MOST_AT_ONCE : 1;
	}

	/** Returns an answer for each renewal, in the same order. */
	List<CompletionStage<Boolean>> renewAll(List<Renewal> renewals) {
		List<CompletionStage<Boolean>> answers = new ArrayList<>(renewals.size());
		int size = this.size;
		for (int from = 0; from < renewals.size(); from += size) {
			answers.addAll(renewTogether(renewals.subList(from, Math.min(from + size, renewals.size()))));
		}
		return answers;
	}

	private List<CompletionStage<Boolean>> renewTogether(List<Renewal> renewals) {
		byte[][] locks = new byte[renewals.size()][];
		byte[][] args = new byte[2 * renewals.size()][];
		for (int i = 0; i < renewals.size(); i++) {
			Renewal renewal = renewals.get(i);
			locks[i] = lock(renewal).redisKey();
			args[2 * i] = RedisLock.value(renewal.owner());
			args[2 * i + 1] = RedisLock.millis(renewal.ttl());
		}
		List<CompletableFuture<Boolean>> answers = renewals.stream()
			.map((each) -> new CompletableFuture<Boolean>())
			.toList();
		this.calls
			.call(lock(renewals.get(0)).key(),
					(renewals.size() > 1) ? Script.RENEW.<Long>forEachOf(locks, args) : one(locks, args),
					Function.identity())
			.whenComplete((numbers, failure) -> {
				if (failure != null && renewals.size() > 1 && Batches.isForSlots(failure.getCause())) {
					this.size = 1;
					renewAll(renewals, answers);
				}
				else {
					answer(answers, numbers, failure);
				}
			});
		return List.copyOf(answers);
	}

	private static StoreCommand<List<Long>> one(byte[][] locks, byte[][] args) {
		return (redis, abandoned, reply) -> Script.RENEW_ONE.with(locks, args)
			.send(redis, abandoned,
					(number, failure) -> reply.accept((number != null) ? List.of(number) : null, failure));
	}

	private void renewAll(List<Renewal> renewals, List<CompletableFuture<Boolean>> answers) {
		List<CompletionStage<Boolean>> single = renewAll(renewals);
		for (int i = 0; i < answers.size(); i++) {
			CompletableFuture<Boolean> answer = answers.get(i);
			single.get(i).whenComplete((renewed, failure) -> {
				if (failure != null) {
					answer.completeExceptionally(failure);
				}
				else {
					answer.complete(renewed);
				}
			});
		}
	}

	private static void answer(List<CompletableFuture<Boolean>> answers, @Nullable List<Long> numbers,
			@Nullable Throwable failure) {
		for (int i = 0; i < answers.size(); i++) {
			if (numbers != null) {
				answers.get(i).complete(numbers.get(i) == 1);
			}
			else if (failure != null) {
				answers.get(i).completeExceptionally(failure);
			}
		}
	}

	private static RedisLock lock(Renewal renewal) {
		return (RedisLock) renewal.lock();
	}

}
