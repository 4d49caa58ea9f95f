package io.github.lockstarter.testing;

import java.util.List;

import org.awaitility.Awaitility;

/**
 * A deployment of several Redis servers that replace each other.
 */
public interface RedisDeployment extends AutoCloseable {

	/** Returns all servers that hold data. */
	List<LocalRedis> all();

	/** Returns the masters that answer. */
	List<LocalRedis> masters();

	/**
	 * Waits until the server, which was killed or frozen, is part of the deployment
	 * again.
	 */
	void heal(LocalRedis broken);

	/** Returns the properties that connect an application to them. */
	String[] properties();

	@Override
	void close();

	/** Returns the master that has a key with this pattern. */
	default LocalRedis masterOf(String pattern) {
		return Awaitility.await()
			.until(() -> masters().stream().filter((node) -> count(node, pattern) > 0).findFirst().orElse(null),
					(node) -> node != null);
	}

	/** Returns the number of keys with this pattern. */
	default long count(String pattern) {
		return masters().stream().mapToLong((node) -> count(node, pattern)).sum();
	}

	/** Returns the number of servers that have such keys. */
	default long copies(String pattern) {
		return all().stream().filter((node) -> count(node, pattern) > 0).count();
	}

	private static long count(LocalRedis node, String pattern) {
		return Long.parseLong(node.ask("KEYS " + pattern).substring(1));
	}

}
