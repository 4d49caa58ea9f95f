package io.github.lockstarter.benchmarks.candidate;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The candidates on Redis.
 */
public enum RedisCandidate implements Candidate<RedisAddress> {

	/** The fewest and simplest commands that make a lock. */
	BASELINE("bare Lettuce (the baseline)", LettuceLocks::new),

	SPRING_DATA("Spring Data Redis by hand", SpringDataLocks::new),

	INTEGRATION_SPIN("Spring Integration, spin", SpringIntegrationLocks::spinning),

	INTEGRATION_PUB_SUB("Spring Integration, pub/sub", SpringIntegrationLocks::publishing),

	REDISSON_LEASE("Redisson, lease", RedissonLocks::withLease),

	REDISSON_WATCHDOG("Redisson, watchdog", RedissonLocks::withWatchdog),

	SHEDLOCK("ShedLock", ShedLocks::new),

	LOCK4J("lock4j", Lock4jLocks::new),

	/** Another version of this library, which the system property selects. */
	OTHER_VERSION("another version", OtherVersion::connect),

	THIS("lock-spring-boot-starter", StarterLocks::new);

	private final String title;

	private final Function<RedisAddress, LockClient> connector;

	RedisCandidate(String title, Function<RedisAddress, LockClient> connector) {
		this.title = title;
		this.connector = connector;
	}

	/**
	 * Returns all candidates: with the peers, or with another version of this library
	 * instead, if one is given.
	 */
	public static List<RedisCandidate> all() {
		boolean versions = System.getProperty(OtherVersion.JARS) != null;
		return Stream.of(values())
			.filter((candidate) -> versions ? !candidate.isPeer() : candidate != OTHER_VERSION)
			.toList();
	}

	@Override
	public boolean isPeer() {
		return this != BASELINE && this != OTHER_VERSION && this != THIS;
	}

	@Override
	public LockClient connect(RedisAddress redis) {
		return this.connector.apply(redis);
	}

	@Override
	public String toString() {
		return this.title;
	}

}
