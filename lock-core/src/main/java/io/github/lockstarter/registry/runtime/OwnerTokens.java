package io.github.lockstarter.registry.runtime;

import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

/**
 * Generates owner tokens of 128 random bits each.
 */
public final class OwnerTokens {

	private static final int BYTES = 16;

	/** The cost of a secure source depends more on the calls than on the bytes. */
	private static final int DRAWN_AT_ONCE = 256;

	private final Lock monitor = new ReentrantLock();

	private final RandomGenerator random;

	private volatile Batch batch = new Batch(new byte[0]);

	/**
	 * Creates tokens from a source.
	 * @param random the source, which must be unpredictable
	 */
	public OwnerTokens(RandomGenerator random) {
		this.random = random;
	}

	/** Returns a token that is unique for an acquisition. */
	public String next() {
		Batch current = this.batch;
		String token = current.next();
		while (token == null) {
			current = another(current);
			token = current.next();
		}
		return token;
	}

	private Batch another(Batch old) {
		this.monitor.lock();
		try {
			if (this.batch == old) {
				byte[] drawn = new byte[DRAWN_AT_ONCE * BYTES];
				this.random.nextBytes(drawn);
				this.batch = new Batch(drawn);
			}
			return this.batch;
		}
		finally {
			this.monitor.unlock();
		}
	}

	/** Random bytes that are used once. */
	private static final class Batch {

		private final byte[] drawn;

		private final AtomicInteger used = new AtomicInteger();

		Batch(byte[] drawn) {
			this.drawn = drawn;
		}

		/** Returns the next token; {@code null} if all have been used. */
		@Nullable String next() {
			if (this.used.get() >= this.drawn.length) {
				return null;
			}
			int from = this.used.getAndAdd(BYTES);
			return (from < this.drawn.length) ? HexFormat.of().formatHex(this.drawn, from, from + BYTES) : null;
		}

	}

}
