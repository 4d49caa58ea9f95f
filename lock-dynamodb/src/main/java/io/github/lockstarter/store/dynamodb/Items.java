package io.github.lockstarter.store.dynamodb;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

import io.github.lockstarter.LockKey;

/**
 * The format of the items in the table. An item is a lock or a result: the key of a
 * result begins with {@code ':'}, which the name of a lock cannot.
 *
 * <pre>
 * lock            registration:taro              :8a…2c:registration:taro
 * holder          the owner; absent when free
 * expiry          the end of the lease
 * fence           the last fencing token         the fencing token of its holder
 * release_id      the operation that released it
 * result_text                                    the result
 * lock_name                                      registration
 * came                                           the time of storing
 * kept_until                                     the end of its validity
 * delete_after    the time after which DynamoDB may delete the item
 * </pre>
 *
 * Times are milliseconds since 1970, except for {@code delete_after} in seconds. No
 * attribute is a reserved word.
 */
final class Items {

	static final String KEY = "lock";

	static final String HOLDER = "holder";

	static final String EXPIRY = "expiry";

	static final String FENCE = "fence";

	static final String RELEASE_ID = "release_id";

	static final String RESULT = "result_text";

	static final String LOCK_NAME = "lock_name";

	static final String CAME = "came";

	static final String KEPT_UNTIL = "kept_until";

	static final String DELETE_AFTER = "delete_after";

	/** Longer keys are replaced by their digest, so that an item costs one write unit. */
	private static final int LONGEST_PLAIN_KEY = 512;

	private static final Duration SPARE = Duration.ofDays(1);

	/** An item has at most 400 KB, including the other attributes of a result. */
	static final long MAX_RESULT = 396 * 1024;

	/** 128 bits. */
	private static final int DIGEST_DIGITS = 32;

	private Items() {
	}

	/** Returns the key of a lock. */
	static Map<String, AttributeValue> key(LockKey lock) {
		return Map.of(KEY, text(new LockKey("lock", lock.name() + ":" + lock.key()).storeForm(LONGEST_PLAIN_KEY)));
	}

	/**
	 * Returns the key of the results with the name.
	 * @param lock the key of their lock
	 */
	static Map<String, AttributeValue> resultKey(Map<String, AttributeValue> lock, String name) {
		String digest = LockKey.ofDigest("slot", name).key().substring(LockKey.DIGEST_PREFIX.length());
		String lockKey = Objects.requireNonNull(lock.get(KEY)).s();
		return Map.of(KEY, text(":" + digest.substring(0, DIGEST_DIGITS) + ":" + lockKey));
	}

	static AttributeValue text(String text) {
		return AttributeValue.fromS(text);
	}

	static AttributeValue number(long number) {
		return AttributeValue.fromN(Long.toString(number));
	}

	/**
	 * Returns the time after which an item may be deleted that is obsolete from the given
	 * time on, in milliseconds. It is well after that time on every clock.
	 */
	static AttributeValue deleteAfter(long millis) {
		return number(TimeUnit.MILLISECONDS.toSeconds(millis + SPARE.toMillis()));
	}

	/** Returns a numeric attribute of the item; 0 if it is absent. */
	static long number(Map<String, AttributeValue> item, String attribute) {
		AttributeValue value = item.get(attribute);
		return (value != null && value.n() != null) ? Long.parseLong(value.n()) : 0;
	}

	/** Returns whether the attribute of the item has that text. */
	static boolean has(Map<String, AttributeValue> item, String attribute, String text) {
		AttributeValue value = item.get(attribute);
		return value != null && text.equals(value.s());
	}

}
