package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

import io.github.lockstarter.LockKey;

/**
 * Where a lock lives in Redis.
 *
 * <pre>
 * lock:{b3f}:registration:taro            the owner of the lock
 * lock:waiting:{b3f}:registration:taro    the instances that wait for it
 * lock:fence:{b3f}                        the fencing tokens of all locks of this bucket
 * lock:result:{b3f}:8a…2c:registration:taro    a result; of which slot, the digest says
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

	private static final int TAG_DIGITS = 3;

	/** 128 bits. */
	private static final int SLOT_DIGITS = 32;

	private static final int TAG_LENGTH = "{b3f}".length();

	private final byte[] lock;

	private final byte[] waiting;

	private final byte[] fence;

	private final byte[] result;

	RedisKeys(String prefix) {
		this.lock = bytes(prefix + ":");
		this.waiting = bytes(prefix + ":waiting:");
		this.fence = bytes(prefix + ":fence:");
		this.result = bytes(prefix + ":result:");
	}

	/** Returns the keys of the lock. */
	Keys of(LockKey key) {
		int hash = 31 * key.name().hashCode() + key.key().hashCode();
		int bucket = ((hash * 0x9E3779B9) >>> 16) % BUCKETS;
		String tag = HexFormat.of().toHexDigits(bucket, TAG_DIGITS);
		return new Keys(bytes("{" + tag + "}:" + key.name() + ":" + key.storeForm(MAX_KEY_BYTES)));
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
	 * The keys of one lock. Few requests need all of them, so each is made when it is
	 * asked for.
	 */
	final class Keys {

		private final byte[] tagged;

		private Keys(byte[] tagged) {
			this.tagged = tagged;
		}

		byte[][] all() {
			return new byte[][] { lock(), fence(), waiting() };
		}

		/** Returns the key of the owner. */
		byte[] lock() {
			return join(RedisKeys.this.lock, this.tagged, this.tagged.length);
		}

		/** Returns the key of the set of those who wait. */
		byte[] waiting() {
			return join(RedisKeys.this.waiting, this.tagged, this.tagged.length);
		}

		/** Returns the key of the counter that fencing tokens are drawn from. */
		byte[] fence() {
			return join(RedisKeys.this.fence, this.tagged, TAG_LENGTH);
		}

		/** Returns the key of the result in the slot. */
		byte[] result(String slot) {
			String tag = new String(this.tagged, 0, TAG_LENGTH, StandardCharsets.UTF_8);
			String lock = new String(this.tagged, TAG_LENGTH, this.tagged.length - TAG_LENGTH, StandardCharsets.UTF_8);
			String digest = LockKey.ofDigest("slot", slot).key().substring(LockKey.DIGEST_PREFIX.length());
			byte[] tagged = bytes(tag + ":" + digest.substring(0, SLOT_DIGITS) + lock);
			return join(RedisKeys.this.result, tagged, tagged.length);
		}

	}

}
