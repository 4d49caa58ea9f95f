package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.github.lockstarter.LockKey;

/**
 * Where a lock lives in Redis.
 *
 * <pre>
 * lock:{b3f}:registration:taro            the owner of the lock
 * lock:waiting:{b3f}:registration:taro    the instances that wait for it
 * lock:fence:{b3f}                        the fencing tokens of all locks of this bucket
 * </pre>
 *
 * The hash tag is one of 4096 buckets, so that all keys of a lock sit in one cluster slot
 * and the number of fences is bounded. What a key is for stands before the tag, never
 * behind the data: a request could otherwise choose a value that ends like another key.
 */
final class RedisKeys {

	private static final int BUCKETS = 4096;

	/** Longer keys are replaced by their digest. */
	private static final int MAX_KEY_BYTES = 200;

	private static final int TAG_LENGTH = "{b3f}".length();

	private final byte[] lock;

	private final byte[] waiting;

	private final byte[] fence;

	RedisKeys(String prefix) {
		this.lock = bytes(prefix + ":");
		this.waiting = bytes(prefix + ":waiting:");
		this.fence = bytes(prefix + ":fence:");
	}

	/** Returns the keys of the lock. */
	Keys of(LockKey key) {
		byte[] tagged = bytes(tag(key) + ":" + key.name() + ":" + key.storeForm(MAX_KEY_BYTES));
		return new Keys(join(this.lock, tagged, tagged.length), join(this.waiting, tagged, tagged.length),
				join(this.fence, tagged, TAG_LENGTH));
	}

	private static String tag(LockKey key) {
		int hash = 31 * key.name().hashCode() + key.key().hashCode();
		int mixed = hash * 0x9E3779B9;
		// Three digits. A formatter would take longer than all the rest of a request.
		return "{" + Integer.toHexString(BUCKETS | (mixed >>> 16) % BUCKETS).substring(1) + "}";
	}

	private static byte[] join(byte[] begin, byte[] end, int length) {
		byte[] joined = Arrays.copyOf(begin, begin.length + length);
		System.arraycopy(end, 0, joined, begin.length, length);
		return joined;
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * The keys of one lock.
	 *
	 * @param lock the owner of the lock
	 * @param waiting the set of those who wait for the lock
	 * @param fence the counter that the lock draws its fencing tokens from
	 */
	@SuppressWarnings("ArrayRecordComponent") // never compared
	record Keys(byte[] lock, byte[] waiting, byte[] fence) {

		byte[][] toArray() {
			return new byte[][] { this.lock, this.waiting, this.fence };
		}

	}

}
