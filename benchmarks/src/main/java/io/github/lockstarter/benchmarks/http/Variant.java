package io.github.lockstarter.benchmarks.http;

/**
 * What keeps the requests of one key apart, each with an endpoint of its own.
 */
public enum Variant {

	NONE("no lock", Paths.NONE),

	/** The fewest and simplest requests that make a lock. */
	BY_HAND("bare Lettuce by hand", Paths.BY_HAND),

	THIS("`@ExclusiveRequest`", Paths.THIS),

	LOCK4J("`@Lock4j`", Paths.LOCK4J),

	REDISSON("Redisson's `RLock` by hand", Paths.REDISSON);

	private final String title;

	private final String path;

	Variant(String title, String path) {
		this.title = title;
		this.path = path;
	}

	String path() {
		return this.path;
	}

	@Override
	public String toString() {
		return this.title;
	}

	/** Where the endpoints are, as constants for annotations. */
	static final class Paths {

		static final String NONE = "/none";

		static final String BY_HAND = "/by-hand";

		static final String THIS = "/lock-starter";

		static final String LOCK4J = "/lock4j";

		static final String REDISSON = "/redisson";

		private Paths() {
		}

	}

}
