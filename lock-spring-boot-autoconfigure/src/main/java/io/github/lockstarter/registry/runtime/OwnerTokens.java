package io.github.lockstarter.registry.runtime;

import java.util.HexFormat;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;

/**
 * Draws owner tokens: 128 random bits each.
 */
public final class OwnerTokens {

	private static final int BYTES = 16;

	/** A secure source costs more by the call than by the byte. */
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

	/** Returns a token that no other acquisition has. */
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
