package io.github.lockstarter.benchmarks.measure;

import java.util.Arrays;
import java.util.stream.Stream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;

import io.github.lockstarter.benchmarks.candidate.RedisAddress;

/**
 * The figures that a Redis server reports about itself.
 */
public final class RedisServer implements LockServer {

	private final RedisAddress address;

	private final RedisClient client;

	private final StatefulRedisConnection<String, String> connection;

	private final RedisCommands<String, String> redis;

	public RedisServer(RedisAddress address) {
		this.address = address;
		this.client = RedisClient.create(address.uri());
		this.connection = this.client.connect();
		this.redis = this.connection.sync();
	}

	@Override
	public String name() {
		return "Redis";
	}

	@Override
	public void clear() {
		this.redis.flushall();
	}

	@Override
	public String version() {
		return info("server", "redis_version");
	}

	/** Returns the size of all data in bytes. */
	public long memory() {
		return Long.parseLong(info("memory", "used_memory"));
	}

	/** Returns the number of its connections, except for this one. */
	public int connections() {
		return Integer.parseInt(info("clients", "connected_clients")) - 1;
	}

	@Override
	public double processorSeconds() {
		return Double.parseDouble(info("cpu", "used_cpu_user")) + Double.parseDouble(info("cpu", "used_cpu_sys"));
	}

	@Override
	public long count(Sender sender) throws Exception {
		return RedisMonitor.count(this.address, sender).sent();
	}

	/** Returns the number of bytes that it has received and sent. */
	public long bytes() {
		return Long.parseLong(info("stats", "total_net_input_bytes"))
				+ Long.parseLong(info("stats", "total_net_output_bytes"));
	}

	private String info(String section, String name) {
		return Stream.of(this.redis.info(section).split("\r\n"))
			.filter((line) -> line.startsWith(name + ":"))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException(Arrays.asList(section, name).toString()))
			.substring(name.length() + 1);
	}

	@Override
	public void close() {
		this.connection.close();
		this.client.shutdown();
	}

}
