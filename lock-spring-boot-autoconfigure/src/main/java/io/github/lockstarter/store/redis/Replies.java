package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Busy;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LeftResult;
import io.github.lockstarter.store.ResultSlot;

/**
 * What the scripts that acquire a lock answer with.
 */
final class Replies {

	private Replies() {
	}

	/** Reads what {@link Script#ACQUIRE} answers with. */
	static AcquireResult acquired(long number) {
		return (number > 0) ? new Granted(number) : new Busy(Duration.ofMillis(-number));
	}

	/** Reads what {@link Script#ACQUIRE_OR_RESULT} answers with. */
	static AcquireResult acquiredOrFound(List<Object> reply, ResultSlot slot) {
		long number = (long) reply.get(0);
		long fencingToken = (long) reply.get(1);
		if (reply.size() == 2) {
			return (number > 0) ? new Granted(number) : new Busy(Duration.ofMillis(-number), fencingToken);
		}
		String text = new String((byte[]) reply.get(2), StandardCharsets.UTF_8);
		return new Found(new LeftResult(slot, text, fencingToken), Duration.of((long) reply.get(3), ChronoUnit.MICROS));
	}

}
