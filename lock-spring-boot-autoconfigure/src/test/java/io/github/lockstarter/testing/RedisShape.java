package io.github.lockstarter.testing;

import java.util.List;

import org.awaitility.Awaitility;

import io.github.lockstarter.store.redis.connection.RedisConnections;

/**
 * Several Redis servers that stand in for each other.
 */
public interface RedisShape extends AutoCloseable {

	/** Returns all servers that hold data. */
	List<LocalRedis> all();

	/** Returns the servers that answer and hold data of their own. */
	List<LocalRedis> masters();

	/** Waits until the server, dead or frozen before, is a part of the whole again. */
	void heal(LocalRedis broken);

	/** Returns the properties that connect an application to them. */
	String[] properties();

	/** Returns new connections, set as the auto-configuration sets them. */
	RedisConnections connections();

	@Override
	void close();

	/** Returns the master that has a key like that. */
	default LocalRedis masterOf(String pattern) {
		return Awaitility.await()
			.until(() -> masters().stream().filter((node) -> count(node, pattern) > 0).findFirst().orElse(null),
					(node) -> node != null);
	}

	/** Returns how many keys like that there are. */
	default long count(String pattern) {
		return masters().stream().mapToLong((node) -> count(node, pattern)).sum();
	}

	/** Returns on how many servers there are such keys. */
	default long copies(String pattern) {
		return all().stream().filter((node) -> count(node, pattern) > 0).count();
	}

	private static long count(LocalRedis node, String pattern) {
		return Long.parseLong(node.ask("KEYS " + pattern).substring(1));
	}

}
