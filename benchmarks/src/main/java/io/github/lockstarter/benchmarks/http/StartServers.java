package io.github.lockstarter.benchmarks.http;

import java.util.EnumMap;
import java.util.stream.Stream;

import org.springframework.boot.Banner;
import org.springframework.boot.builder.SpringApplicationBuilder;

import io.github.lockstarter.benchmarks.candidate.RedisAddress;
import io.github.lockstarter.benchmarks.measure.Task;

/**
 * Starts all servers in one process, in which they run until it ends, and returns their
 * ports.
 *
 * @param redis the address of Redis
 */
public record StartServers(RedisAddress redis) implements Task<EnumMap<Server, Integer>> {

	@Override
	public EnumMap<Server, Integer> run() {
		EnumMap<Server, Integer> ports = new EnumMap<>(Server.class);
		Stream.of(Server.values()).filter(Server::runsHere).forEach((server) -> ports.put(server, start(server)));
		return ports;
	}

	private int start(Server server) {
		return new SpringApplicationBuilder(server.application()).web(server.type())
			.bannerMode(Banner.Mode.OFF)
			.registerShutdownHook(false)
			.properties(this.redis.properties())
			.properties("server.address=127.0.0.1", "server.port=0",
					// Connections stay open, as with the other server.
					"server.tomcat.max-keep-alive-requests=-1",
					"spring.threads.virtual.enabled=" + server.virtualThreads())
			.run()
			.getEnvironment()
			.getRequiredProperty("local.server.port", Integer.class);
	}

}
