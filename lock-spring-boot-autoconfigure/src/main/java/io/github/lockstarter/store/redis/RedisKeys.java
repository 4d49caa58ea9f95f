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
		byte[] tagged = bytes("{" + tag + "}:" + key.name() + ":" + key.storeForm(MAX_KEY_BYTES));
		return new Keys(join(this.lock, tagged, tagged.length), join(this.waiting, tagged, tagged.length),
				join(this.fence, tagged, TAG_LENGTH));
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
	 * The keys of one lock. Nearly every request needs the lock, and the fence or the set
	 * of waiters, so these are computed at once; few requests are about a result.
	 */
	final class Keys {

		private final byte[] lock;

		private final byte[] waiting;

		private final byte[] fence;

		private Keys(byte[] lock, byte[] waiting, byte[] fence) {
			this.lock = lock;
			this.waiting = waiting;
			this.fence = fence;
		}

		/** Returns the key of the owner. */
		byte[] lock() {
			return this.lock;
		}

		/** Returns the key of the set of waiting instances. */
		byte[] waiting() {
			return this.waiting;
		}

		/** Returns the key of the counter that fencing tokens are drawn from. */
		byte[] fence() {
			return this.fence;
		}

		/** Returns the key of the results of that name. */
		byte[] result(String name) {
			int tag = RedisKeys.this.lock.length;
			int rest = tag + TAG_LENGTH;
			String digest = LockKey.ofDigest("slot", name).key().substring(LockKey.DIGEST_PREFIX.length());
			byte[] digested = join(RedisKeys.this.result, Arrays.copyOfRange(this.lock, tag, rest), TAG_LENGTH);
			digested = join(digested, bytes(":" + digest), 1 + DIGEST_DIGITS);
			return join(digested, Arrays.copyOfRange(this.lock, rest, this.lock.length), this.lock.length - rest);
		}

	}

}
