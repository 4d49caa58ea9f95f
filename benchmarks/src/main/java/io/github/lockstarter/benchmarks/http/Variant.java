package io.github.lockstarter.benchmarks.http;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/**
 * The implementations of a lock for requests, each with its own endpoint.
 */
public enum Variant {

	NONE("no lock", Paths.NONE, KeySpace.DISTINCT, KeySpace.ONE),

	/** The fewest and simplest commands that make a lock. */
	BY_HAND("bare Lettuce by hand", Paths.BY_HAND, KeySpace.DISTINCT, KeySpace.ONE),

	BY_HAND_PROBLEM("… that rejects with the problem document", Paths.BY_HAND_PROBLEM, KeySpace.ONE),

	/**
	 * A request for a key that runs in this instance is rejected without a command to
	 * Redis.
	 */
	LOCAL_SET("… and from a local set", Paths.LOCAL_SET, KeySpace.ONE),

	THIS("`@ExclusiveRequest`", Paths.THIS, KeySpace.DISTINCT, KeySpace.ONE),

	/** The key is a property of an object that the request is bound to. */
	BY_HAND_PROPERTY("by hand, key in an object", Paths.BY_HAND_PROPERTY, KeySpace.DISTINCT),

	THIS_PROPERTY("`@ExclusiveRequest(key = \"#order.number\")`", Paths.THIS_PROPERTY, KeySpace.DISTINCT),

	LOCK4J("`@Lock4j`", Paths.LOCK4J, KeySpace.DISTINCT, KeySpace.ONE),

	REDISSON("Redisson's `RLock` by hand", Paths.REDISSON, KeySpace.DISTINCT, KeySpace.ONE);

	private final String title;

	private final String path;

	private final Set<KeySpace> keys;

	Variant(String title, String path, KeySpace... keys) {
		this.title = title;
		this.path = path;
		this.keys = EnumSet.copyOf(Arrays.asList(keys));
	}

	/** Returns the address of the endpoint on a server, without the key. */
	String address(int port, Duration work) {
		String key = (this == BY_HAND_PROPERTY || this == THIS_PROPERTY) ? "number" : "key";
		return "http://127.0.0.1:%d%s?work=%d&%s=".formatted(port, this.path, work.toMillis(), key);
	}

	/** Returns whether it is measured with the keys. */
	public boolean isMeasuredWith(KeySpace keys) {
		return this.keys.contains(keys);
	}

	@Override
	public String toString() {
		return this.title;
	}

	/** The keys of the clients. */
	public enum KeySpace {

		/** Each request has another key. */
		DISTINCT,

		/** All requests have the same key. */
		ONE

	}

	/** The paths of the endpoints, as constants for annotations. */
	static final class Paths {

		static final String NONE = "/none";

		static final String BY_HAND = "/by-hand";

		static final String BY_HAND_PROBLEM = "/by-hand-problem";

		static final String LOCAL_SET = "/local-set";

		static final String THIS = "/lock-starter";

		static final String BY_HAND_PROPERTY = "/by-hand-property";

		static final String THIS_PROPERTY = "/lock-starter-property";

		static final String LOCK4J = "/lock4j";

		static final String REDISSON = "/redisson";

		private Paths() {
		}

	}

}
