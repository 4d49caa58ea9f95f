package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.github.lockstarter.store.AcquireAllResult;
import io.github.lockstarter.store.AcquireAllResult.AllGranted;
import io.github.lockstarter.store.AcquireAllResult.FirstHeld;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.AcquireResult.PredecessorLost;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.StoredResult;

/**
 * Parses the replies of the scripts that acquire a lock.
 */
final class Replies {

	/**
	 * The time for the waiters of other instances to acquire the lock before this
	 * instance polls.
	 */
	private static final Duration HEAD_START = Duration.ofMillis(5);

	private Replies() {
	}

	/** Parses a reply of {@link Script#ACQUIRE}. */
	static AcquireResult acquired(long number) {
		return (number > 0) ? new Granted(number) : new Held(Duration.ofMillis(-number));
	}

	/** Parses a reply of {@link Script#ACQUIRE_ALL}. */
	static AcquireAllResult acquiredAll(List<Long> numbers) {
		long first = numbers.get(0);
		return (first > 0) ? new AllGranted(numbers.stream().map(Granted::new).toList())
				: new FirstHeld((int) -first - 1, new Held(Duration.ofMillis(numbers.get(1))));
	}

	/** Parses a reply of {@link Script#ACQUIRE_OR_RESULT}. */
	static AcquireResult acquiredOrFound(List<Object> reply, ResultKey key) {
		long number = (long) reply.get(0);
		long fencingToken = (long) reply.get(1);
		if (reply.size() == 2) {
			return (number > 0) ? new Granted(number) : new Held(Duration.ofMillis(-number), fencingToken);
		}
		String text = new String((byte[]) reply.get(2), StandardCharsets.UTF_8);
		return new Found(new StoredResult(key, text, fencingToken),
				Duration.of((long) reply.get(3), ChronoUnit.MICROS));
	}

	/**
	 * Parses a reply of {@link Script#HAND_OVER}.
	 * @param repeated whether the driver may have repeated the script, so that it may
	 * have found the effect of the first attempt
	 */
	static AcquireResult handedOver(long number, boolean repeated) {
		if (number > 0) {
			return new Granted(number);
		}
		return (number < 0 && !repeated) ? new PredecessorLost() : new Held(HEAD_START);
	}

}
