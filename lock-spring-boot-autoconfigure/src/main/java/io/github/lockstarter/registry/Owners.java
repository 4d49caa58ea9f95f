package io.github.lockstarter.registry;

import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Owner tokens, each of 128 random bits that no other has. They are drawn 64 at a time:
 * drawn one by one, they took longer than any other step before a request.
 */
final class Owners {

	private static final int BYTES = 16;

	private static final SecureRandom random = new SecureRandom();

	private static final byte[] drawn = new byte[64 * BYTES];

	private static int used = drawn.length;

	private Owners() {
	}

	static synchronized String next() {
		if (used == drawn.length) {
			random.nextBytes(drawn);
			used = 0;
		}
		String owner = HexFormat.of().formatHex(drawn, used, used + BYTES);
		used += BYTES;
		return owner;
	}

}
