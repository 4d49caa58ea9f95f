package io.github.lockstarter.sample.demo;

import java.net.URI;
import java.util.List;
import java.util.stream.IntStream;

/**
 * An instance of the application.
 *
 * @param url the address of its web server
 * @param instanceId distinguishes it from an earlier instance at the same address
 * @param killable whether the page may kill it
 * @param store the store of its locks
 */
record Instance(String url, String instanceId, boolean killable, String store) {

	public String name() {
		return URI.create(this.url).getAuthority();
	}

	/** Returns the first port from 8081 that none of the instances has. */
	static int nextPort(List<Instance> instances) {
		List<Integer> ports = instances.stream().map((each) -> URI.create(each.url).getPort()).toList();
		return IntStream.iterate(8081, (port) -> port + 1)
			.filter((port) -> !ports.contains(port))
			.findFirst()
			.orElseThrow();
	}

}
