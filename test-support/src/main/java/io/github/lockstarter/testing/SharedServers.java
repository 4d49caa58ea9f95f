package io.github.lockstarter.testing;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Applications that the tests of a class share, so that each is started once.
 */
public final class SharedServers implements AutoCloseable {

	/** A connection that a client keeps open may count as a request, for 30 seconds. */
	private static final String IMMEDIATELY = "server.shutdown=immediate";

	private final Map<List<?>, TestServer> servers = new HashMap<>();

	/**
	 * Returns the application with the properties, and starts it if necessary.
	 */
	public TestServer get(Class<?>[] sources, String... properties) {
		return this.servers.computeIfAbsent(List.of(List.of(sources), List.of(properties)), (key) -> TestServer
			.start(sources, Stream.concat(Stream.of(properties), Stream.of(IMMEDIATELY)).toArray(String[]::new)));
	}

	@Override
	public void close() {
		this.servers.values().forEach(TestServer::close);
	}

}
