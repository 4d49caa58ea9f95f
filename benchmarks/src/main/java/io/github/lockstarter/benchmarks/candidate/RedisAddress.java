package io.github.lockstarter.benchmarks.candidate;

import java.io.Serializable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The address of Redis, which is always on this machine.
 *
 * @param port the port
 */
public record RedisAddress(int port) implements Serializable {

	private static final String HOST = "127.0.0.1";

	/** Returns the URI for clients. */
	public String uri() {
		return "redis://%s:%d".formatted(HOST, this.port);
	}

	/** Returns the properties that connect a Spring Boot application to it. */
	public String[] properties() {
		return new String[] { "spring.data.redis.host=" + HOST, "spring.data.redis.port=" + this.port };
	}

	/** Returns a new, started connection factory. */
	LettuceConnectionFactory newConnectionFactory() {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(HOST, this.port);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
