package io.github.lockstarter.registry.runtime;

import java.util.HexFormat;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;

/**
 * Generates owner tokens of 128 random bits each.
 */
public final class OwnerTokens {

	private static final int BYTES = 16;

	/** The cost of a secure source depends more on the calls than on the bytes. */
	private static final int DRAWN_AT_ONCE = 256;

	private final Lock monitor = new ReentrantLock();

	private final RandomGenerator random;

	private final byte[] drawn = new byte[DRAWN_AT_ONCE * BYTES];

	private int used = this.drawn.length;

	/**
	 * Creates tokens from a source.
	 * @param random the source, which must be unpredictable
	 */
	public OwnerTokens(RandomGenerator random) {
		this.random = random;
	}

	/** Returns a token that is unique for an acquisition. */
	public String next() {
		this.monitor.lock();
		try {
			if (this.used == this.drawn.length) {
				this.random.nextBytes(this.drawn);
				this.used = 0;
			}
			this.used += BYTES;
			return HexFormat.of().formatHex(this.drawn, this.used - BYTES, this.used);
		}
		finally {
			this.monitor.unlock();
		}
	}

}
