package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

import io.github.lockstarter.LockKey;

/**
 * Where locks live in Redis.
 *
 * <pre>
 * lock:{b3f}:registration:taro            the owner of the lock
 * lock:waiting:{b3f}:registration:taro    the instances that wait for it
 * lock:fence:{b3f}                        the fencing tokens of all locks of this bucket
 * lock:result:{b3f}:8a…2c:registration:taro    a result; the digest is that of its name
 * </pre>
 *
 * The hash tag is one of 4096 buckets, so that all keys of a lock sit in one cluster slot
 * and the number of fences is bounded. The role of a key stands before the tag, never
 * behind the data: a request could otherwise choose a value that ends like another key.
 */
final class RedisKeys {

	private static final int BUCKETS = 4096;

	/** Longer keys are replaced by their digest. */
	private static final int MAX_KEY_BYTES = 200;

	private static final int TAG_DIGITS = 3;

	/** 128 bits. */
	private static final int DIGEST_DIGITS = 32;

	private static final int TAG_LENGTH = "{b3f}".length();

	private final String prefix;

	/** Where the hash tag stands in the key of a lock. */
	private final int tag;

	private final byte[] waiting;

	private final byte[] fence;

	RedisKeys(String prefix) {
		this.prefix = prefix;
		this.tag = bytes(prefix + ":").length;
		this.waiting = bytes(prefix + ":waiting:");
		this.fence = bytes(prefix + ":fence:");
	}

	/** Returns the keys of the lock. */
	Keys of(LockKey key) {
		int hash = 31 * key.name().hashCode() + key.key().hashCode();
		int bucket = ((hash * 0x9E3779B9) >>> 16) % BUCKETS;
		String tag = HexFormat.of().toHexDigits(bucket, TAG_DIGITS);
		return new Keys(bytes(this.prefix + ":{" + tag + "}:" + key.name() + ":" + key.storeForm(MAX_KEY_BYTES)));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * The keys of one lock. There may be many locks, so only the key of the owner is
	 * kept; the others are made from it.
	 */
	final class Keys {

		private final byte[] lock;

		private Keys(byte[] lock) {
			this.lock = lock;
		}

		/** Returns the key of the owner. */
		byte[] lock() {
			return this.lock;
		}

		/** Returns the key of the set of waiting instances. */
		byte[] waiting() {
			return join(RedisKeys.this.waiting, RedisKeys.this.tag, this.lock.length);
		}

		/** Returns the key of the counter that fencing tokens are drawn from. */
		byte[] fence() {
			return join(RedisKeys.this.fence, RedisKeys.this.tag, endOfTag());
		}

		/** Returns the key of the results of that name. */
		byte[] result(String name) {
			int digest = LockKey.DIGEST_PREFIX.length();
			String digits = LockKey.ofDigest("slot", name).key().substring(digest, digest + DIGEST_DIGITS);
			String tag = new String(this.lock, RedisKeys.this.tag, TAG_LENGTH, StandardCharsets.US_ASCII);
			return join(bytes(RedisKeys.this.prefix + ":result:" + tag + ":" + digits), endOfTag(), this.lock.length);
		}

		private int endOfTag() {
			return RedisKeys.this.tag + TAG_LENGTH;
		}

		/** Returns the bytes followed by a part of the key of the owner. */
		private byte[] join(byte[] begin, int from, int to) {
			byte[] joined = Arrays.copyOf(begin, begin.length + to - from);
			System.arraycopy(this.lock, from, joined, begin.length, to - from);
			return joined;
		}

	}

}
