package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

import io.github.lockstarter.LockConfigurationException;

/**
 * Properties of the memcached store.
 *
 * @param servers Servers, each as host:port, or as host for port 11211. Applications that
 * share locks must name the same servers in the same way.
 * @param keyPrefix Prefix of all keys in memcached. Applications with the same prefix
 * share their locks.
 * @param commandTimeout How long to wait for an answer from memcached before the request
 * gets status 503.
 */
@ConfigurationProperties("lock.memcached")
record MemcachedProperties(@DefaultValue("localhost:11211") List<String> servers,
		@DefaultValue("lock") String keyPrefix, @DefaultValue("500ms") Duration commandTimeout) {

	private static final Pattern SERVER = Pattern
		.compile("(\\[[^/@\\[\\]\\s]+]|[^:/@\\[\\]\\s]+)(:(?<port>\\d{1,5}))?");

	MemcachedProperties {
		checkServers(servers);
		LockProperties.check("lock.memcached.key-prefix", keyPrefix, MemcachedProperties::checkPrefix);
		LockProperties.check("lock.memcached.command-timeout", commandTimeout, LockProperties::checkTimeout);
	}

	/** An invalid server is not part of the message: a URL may contain a password. */
	private static void checkServers(List<String> servers) {
		if (servers.isEmpty() || !servers.stream().allMatch(MemcachedProperties::isServer)) {
			throw new LockConfigurationException(
					"lock.memcached.servers has an invalid server: it must be host or host:port, with a port up to 65535.",
					"Correct the value of lock.memcached.servers, and separate several servers by commas.");
		}
	}

	private static boolean isServer(String text) {
		Matcher server = SERVER.matcher(text);
		return server.matches() && (server.group("port") == null || Integer.parseInt(server.group("port")) < 65536);
	}

	private static void checkPrefix(String prefix) {
		Assert.isTrue(prefix.matches("[!-9;-~]{1,100}"),
				"A prefix must have 1 to 100 visible ASCII characters, without a colon");
	}

}
