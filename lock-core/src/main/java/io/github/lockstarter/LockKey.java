package io.github.lockstarter;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import org.springframework.util.Assert;

/**
 * Identifies a lock: by a name, which the developer chooses and uses for configuration,
 * and a key within that name, which comes from data. Two lock keys identify the same lock
 * only if both parts are equal. Lock keys are ordered by name, then by key. The order
 * keeps hash tables fast even if many keys from data have the same hash code.
 *
 * @param name the name; not blank, without {@code ':'} and control characters, so that
 * {@code name:key} is unambiguous
 * @param key the key; any text of any length; empty for a lock that has only a name
 */
public record LockKey(String name, String key) implements Comparable<LockKey> {

	/** The prefix of each digest. A plain key with this prefix is digested as well. */
	public static final String DIGEST_PREFIX = "sha256:";

	/**
	 * Creates a lock key.
	 * @throws IllegalArgumentException if the name is not valid
	 */
	public LockKey {
		Assert.hasText(name, "The name of a lock must not be blank");
		Assert.isTrue(name.indexOf(':') < 0 && isPrintable(name),
				"The name of a lock must not contain ':' or control characters");
		Assert.notNull(key, "The key of a lock must not be null");
	}

	/**
	 * Parses a lock key that is written as one text: {@code "team:42"} has the name
	 * {@code team} and the key {@code 42}; {@code "report"} has only a name. The text
	 * after the first {@code ':'} may come from data.
	 * @param text the name, or the name and the key separated by {@code ':'}
	 * @return the key of the lock
	 * @throws IllegalArgumentException if the name is not valid
	 */
	public static LockKey of(String text) {
		int colon = text.indexOf(':');
		return (colon < 0) ? new LockKey(text, "") : new LockKey(text.substring(0, colon), text.substring(colon + 1));
	}

	/**
	 * Returns a lock key with a digest of the text as its key.
	 * @param name the name of the lock
	 * @param text the text to digest
	 * @return the key of the lock
	 * @throws IllegalArgumentException if the name is not valid
	 */
	public static LockKey ofDigest(String name, String text) {
		return new LockKey(name, digest(text));
	}

	/**
	 * Returns the key in a form that every store can take: the key itself, or its SHA-256
	 * digest if the key is longer than the given number of bytes or has unprintable
	 * characters. Different keys have different forms.
	 * @param longestPlainKey the longest key that is not digested, in bytes of UTF-8;
	 * each store chooses its own
	 * @return the key or its digest
	 */
	public String storeForm(int longestPlainKey) {
		return isPlain(longestPlainKey) ? this.key : digest(this.key);
	}

	private boolean isPlain(int longestPlainKey) {
		return this.key.length() <= longestPlainKey && !this.key.startsWith(DIGEST_PREFIX) && isPrintable(this.key)
				&& (this.key.length() <= longestPlainKey / 3
						|| this.key.getBytes(StandardCharsets.UTF_8).length <= longestPlainKey);
	}

	/** No stream, for speed: this method is called for every command to a store. */
	private static boolean isPrintable(String text) {
		for (int i = 0; i < text.length(); i++) {
			int codePoint = text.codePointAt(i);
			if (Character.isISOControl(codePoint) || Character.getType(codePoint) == Character.SURROGATE) {
				return false;
			}
			i += Character.charCount(codePoint) - 1;
		}
		return true;
	}

	/** Digests UTF-16 code units: UTF-8 would turn every lone surrogate into '?'. */
	private static String digest(String text) {
		ByteBuffer units = ByteBuffer.allocate(text.length() * Character.BYTES);
		units.asCharBuffer().put(text);
		try {
			byte[] hash = MessageDigest.getInstance("SHA-256").digest(units.array());
			return DIGEST_PREFIX + HexFormat.of().formatHex(hash);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public int compareTo(LockKey other) {
		int names = this.name.compareTo(other.name);
		return (names != 0) ? names : this.key.compareTo(other.key);
	}

	/**
	 * Returns only the name: the key may contain personal data, which must not be logged.
	 */
	@Override
	public String toString() {
		return "LockKey[" + this.name + "]";
	}

}
