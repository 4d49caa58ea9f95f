package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.github.lockstarter.store.LockStore.Renewal;

/**
 * Renews many locks in as few requests as Redis can take.
 */
final class RedisRenewals {

	/** So that no script occupies Redis for long: about half a millisecond. */
	private static final int MOST_AT_ONCE = 500;

	private final RedisCalls calls;

	private final int size;

	/**
	 * Creates renewals.
	 * @param together whether the keys of several locks can be in one request
	 */
	RedisRenewals(RedisCalls calls, boolean together) {
		this.calls = calls;
		this.size = together ? MOST_AT_ONCE : 1;
	}

	/** Returns an answer for each, in the same order. */
	List<CompletionStage<Boolean>> renewAll(List<Renewal> renewals) {
		List<CompletionStage<Boolean>> answers = new ArrayList<>(renewals.size());
		for (int from = 0; from < renewals.size(); from += this.size) {
			answers.addAll(renewTogether(renewals.subList(from, Math.min(from + this.size, renewals.size()))));
		}
		return answers;
	}

	private List<CompletionStage<Boolean>> renewTogether(List<Renewal> renewals) {
		byte[][] locks = new byte[renewals.size()][];
		byte[][] args = new byte[2 * renewals.size()][];
		for (int i = 0; i < renewals.size(); i++) {
			Renewal renewal = renewals.get(i);
			locks[i] = lock(renewal).keys().lock();
			args[2 * i] = renewal.owner().getBytes(StandardCharsets.US_ASCII);
			args[2 * i + 1] = Long.toString(renewal.ttl().toMillis()).getBytes(StandardCharsets.US_ASCII);
		}
		CompletionStage<List<Long>> renewed = this.calls.call(lock(renewals.get(0)).key(),
				Script.RENEW.<Long>forEachOf(locks, args), Function.identity());
		return IntStream.range(0, renewals.size())
			.mapToObj((i) -> renewed.thenApply((numbers) -> numbers.get(i) == 1))
			.toList();
	}

	private static RedisLock lock(Renewal renewal) {
		return (RedisLock) renewal.lock();
	}

}
