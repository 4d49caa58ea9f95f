package io.github.lockstarter.store.memcached;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

import com.google.common.hash.Hashing;
import com.google.common.net.HostAndPort;
import com.spotify.folsom.AsciiMemcacheClient;
import com.spotify.folsom.ExponentialBackoff;
import com.spotify.folsom.MemcacheClientBuilder;
import com.spotify.folsom.ketama.AddressAndClient;
import com.spotify.folsom.ketama.NodeLocator;
import com.spotify.folsom.reconnect.ReconnectionListener;

import org.springframework.util.Assert;

/**
 * The servers, each of which has its share of the keys, whether it is there or not: were
 * another to stand in for it, both could grant the same lock.
 * <p>
 * Which server has a key is found by rendezvous hashing (Thaler and Ravishankar, 1998):
 * the one for which the hash of its address and the key is highest. It depends on no
 * order, and when a server is added or removed no other keys move than those it has.
 */
final class Servers {

	private static final int DEFAULT_PORT = 11211;

	/** So that requests are not answered with 503 for long after memcached is back. */
	private static final ExponentialBackoff RECONNECT = new ExponentialBackoff(10, 250, 2);

	/** Every caller gets an answer in time, so this only bounds the memory. */
	private static final int MAX_UNDER_WAY = 100_000;

	private Servers() {
	}

	/** Begins to connect to all of them. */
	static AsciiMemcacheClient<String> connect(List<String> servers, ReconnectionListener listener) {
		Assert.notEmpty(servers, "There must be at least one server");
		MemcacheClientBuilder<String> builder = MemcacheClientBuilder.newStringClient(StandardCharsets.US_ASCII);
		servers.stream().distinct().forEach((server) -> addTo(builder, server));
		return builder.withNodeLocator(Servers::locator)
			.withReconnectionListener(listener)
			.withBackoff(RECONNECT)
			.withMaxOutstandingRequests(MAX_UNDER_WAY)
			// A repeated request could find its own work done, and misread it.
			.withRetry(false)
			.withReplyExecutor(Runnable::run)
			.connectAscii();
	}

	private static void addTo(MemcacheClientBuilder<String> builder, String server) {
		HostAndPort address = HostAndPort.fromString(server).withDefaultPort(DEFAULT_PORT);
		builder.withAddress(address.getHost(), address.getPort());
	}

	private static NodeLocator locator(Collection<AddressAndClient> nodes) {
		return (key) -> nodes.stream()
			.max(Comparator.comparingLong((node) -> weight(node, key)))
			.orElseThrow()
			.getClient();
	}

	private static long weight(AddressAndClient node, byte[] key) {
		return Hashing.murmur3_128()
			.newHasher()
			.putString(node.getAddressString(), StandardCharsets.UTF_8)
			.putByte((byte) 0)
			.putBytes(key)
			.hash()
			.asLong();
	}

}
