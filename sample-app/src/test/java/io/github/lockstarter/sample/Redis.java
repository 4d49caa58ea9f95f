package io.github.lockstarter.sample;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;

import io.github.lockstarter.testing.TestRedis;

/**
 * The keys in the shared Redis, and the number of commands.
 */
final class Redis {

	private Redis() {
	}

	/** Returns the keys that match a pattern. */
	static List<String> keys(String pattern) {
		return ask((commands) -> commands.keys(pattern));
	}

	/** Returns the number of calls of these commands. */
	static long calls(String... commands) {
		List<String> statistics = ask((redis) -> redis.info("commandstats")).lines().toList();
		return Stream.of(commands)
			.map((command) -> "cmdstat_" + command + ":calls=")
			.flatMap((begin) -> statistics.stream()
				.filter((line) -> line.startsWith(begin))
				.map((line) -> line.substring(begin.length(), line.indexOf(','))))
			.mapToLong(Long::parseLong)
			.sum();
	}

	private static <T> T ask(Function<RedisCommands<String, String>, T> question) {
		try (RedisClient client = RedisClient.create(RedisURI.create(TestRedis.host(), TestRedis.port()));
				StatefulRedisConnection<String, String> connection = client.connect()) {
			return question.apply(connection.sync());
		}
	}

}
