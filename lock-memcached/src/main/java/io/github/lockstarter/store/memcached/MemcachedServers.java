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
 * The servers, each of which has a fixed share of the keys. No other server replaces one
 * that is unavailable: otherwise both could grant the same lock.
 * <p>
 * The server of a key is determined by rendezvous hashing (Thaler and Ravishankar, 1998):
 * the one with the highest hash of its address and the key. The result does not depend on
 * the order of the servers. When a server is added or removed, only its own keys move.
 */
final class MemcachedServers {

	private static final int DEFAULT_PORT = 11211;

	/**
	 * Short pauses, so that requests do not get status 503 for long after memcached has
	 * recovered.
	 */
	private static final ExponentialBackoff RECONNECT = new ExponentialBackoff(10, 250, 2);

	/** Only bounds the memory, because every caller receives an answer in time. */
	private static final int MAX_UNDER_WAY = 100_000;

	private MemcachedServers() {
	}

	/** Begins to connect to all servers. */
	static AsciiMemcacheClient<String> connect(List<String> servers, ReconnectionListener listener) {
		Assert.notEmpty(servers, "There must be at least one server");
		MemcacheClientBuilder<String> builder = MemcacheClientBuilder.newStringClient(StandardCharsets.US_ASCII);
		servers.stream().distinct().forEach((server) -> addTo(builder, server));
		return builder.withNodeLocator(MemcachedServers::locator)
			.withReconnectionListener(listener)
			.withBackoff(RECONNECT)
			.withMaxOutstandingRequests(MAX_UNDER_WAY)
			// A repeated command could find the effect of the first attempt, and
			// misinterpret it.
			.withRetry(false)
			.withReplyExecutor(Runnable::run)
			.connectAscii();
	}

	private static void addTo(MemcacheClientBuilder<String> builder, String server) {
		HostAndPort address = address(server).withDefaultPort(DEFAULT_PORT);
		builder.withAddress(address.getHost(), address.getPort());
	}

	/** An invalid server is not part of the message: a URL may contain a password. */
	private static HostAndPort address(String server) {
		try {
			Assert.isTrue(server.indexOf('@') < 0 && server.indexOf('/') < 0, "It is a URL");
			return HostAndPort.fromString(server);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("A server must be host or host:port");
		}
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
