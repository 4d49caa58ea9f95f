package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

import io.github.lockstarter.LockKey;

/**
 * The keys of locks in Redis.
 *
 * <pre>
 * lock:{b3f}:registration:taro            the owner of the lock
 * lock:waiting:{b3f}:registration:taro    the instances that wait for it
 * lock:fence:{b3f}                        the fencing tokens of all locks of this bucket
 * lock:result:{b3f}:8a…2c:registration:taro    a result; the digest is that of its name
 * </pre>
 *
 * The hash tag is one of 4096 buckets, so that all keys of a lock are in one cluster slot
 * and the number of fences is bounded. The role of a key precedes the tag, and never
 * follows the data: a client could otherwise choose a value that ends like another key.
 */
final class RedisKeys {

	private static final int BUCKETS = 4096;

	/** Longer keys are replaced by their digest. */
	private static final int LONGEST_PLAIN_KEY = 200;

	private static final int TAG_DIGITS = 3;

	/** 128 bits. */
	private static final int DIGEST_DIGITS = 32;

	private static final int TAG_LENGTH = "{b3f}".length();

	private final String prefix;

	/** The position of the hash tag in the key of a lock. */
	private final int tag;

	private final byte[] waiting;

	private final byte[] fence;

	RedisKeys(String prefix) {
		this.prefix = prefix;
		this.tag = bytes(prefix + ":").length;
		this.waiting = bytes(prefix + ":waiting:");
		this.fence = bytes(prefix + ":fence:");
	}

	/**
	 * Returns the key of the owner, from which the other keys of the lock are derived.
	 */
	byte[] lock(LockKey key) {
		int hash = 31 * key.name().hashCode() + key.key().hashCode();
		int bucket = ((hash * 0x9E3779B9) >>> 16) % BUCKETS;
		String tag = HexFormat.of().toHexDigits(bucket, TAG_DIGITS);
		return bytes(this.prefix + ":{" + tag + "}:" + key.name() + ":" + key.storeForm(LONGEST_PLAIN_KEY));
	}

	/** Returns the key of the set of waiting instances. */
	byte[] waiting(byte[] lock) {
		return join(this.waiting, lock, this.tag, lock.length);
	}

	/** Returns the key of the counter for fencing tokens. */
	byte[] fence(byte[] lock) {
		return join(this.fence, lock, this.tag, endOfTag());
	}

	/** Returns the key of the results with the name. */
	byte[] result(byte[] lock, String name) {
		int digest = LockKey.DIGEST_PREFIX.length();
		String digits = LockKey.ofDigest("slot", name).key().substring(digest, digest + DIGEST_DIGITS);
		String tag = new String(lock, this.tag, TAG_LENGTH, StandardCharsets.US_ASCII);
		return join(bytes(this.prefix + ":result:" + tag + ":" + digits), lock, endOfTag(), lock.length);
	}

	/** Returns the pattern for the keys of all results of the locks with a name. */
	byte[] results(String lockName) {
		return bytes(literally(this.prefix + ":result:") + "{" + "?".repeat(TAG_DIGITS) + "}:"
				+ "?".repeat(DIGEST_DIGITS) + ":" + literally(lockName) + ":*");
	}

	/** Escapes the characters that have a meaning in a pattern. */
	private static String literally(String text) {
		return text.replaceAll("[*?\\[\\]\\\\^-]", "\\\\$0");
	}

	private int endOfTag() {
		return this.tag + TAG_LENGTH;
	}

	/** Returns the bytes followed by a part of the key of the owner. */
	private static byte[] join(byte[] begin, byte[] lock, int from, int to) {
		byte[] joined = Arrays.copyOf(begin, begin.length + to - from);
		System.arraycopy(lock, from, joined, begin.length, to - from);
		return joined;
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
