package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;

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

	private final String prefix;

	RedisKeys(String prefix) {
		this.prefix = prefix;
	}

	/** Returns the key of the lock. */
	byte[] lock(LockKey key) {
		return bytes(this.prefix + ":" + of(key));
	}

	/** Returns the key of the set of those who wait for the lock. */
	byte[] waiting(LockKey key) {
		return bytes(this.prefix + ":waiting:" + of(key));
	}

	/** Returns the key of the counter that the lock draws its fencing tokens from. */
	byte[] fence(LockKey key) {
		return bytes(this.prefix + ":fence:" + tag(key));
	}

	private static String of(LockKey key) {
		return tag(key) + ":" + key.name() + ":" + key.storeForm(MAX_KEY_BYTES);
	}

	private static String tag(LockKey key) {
		int hash = 31 * key.name().hashCode() + key.key().hashCode();
		int mixed = hash * 0x9E3779B9;
		return "{%03x}".formatted(Integer.remainderUnsigned(mixed >>> 16, BUCKETS));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
