package io.github.lockstarter.service.client;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

import io.github.lockstarter.LockConfigurationException;

/**
 * Properties under {@code lock.service}.
 *
 * @param open Whether every client that reaches the service may use it, without a key.
 * @param maxTtl Longest ttl that a client may request.
 * @param maxWait Longest wait that a client may request.
 * @param maxLocks Number of locks that a client may hold at a time, of those that one
 * instance granted.
 * @param clients Clients that may use the service, by name. Each has lock names of its
 * own.
 */
@ConfigurationProperties("lock.service")
record ServiceProperties(@DefaultValue("false") boolean open, @DefaultValue("1h") Duration maxTtl,
		@DefaultValue("1m") Duration maxWait, @DefaultValue("10000") int maxLocks,
		@DefaultValue Map<String, Registered> clients) {

	private static final Duration LONGEST = Duration.ofDays(365);

	private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

	/** The prefix of the keys in the documentation. */
	private static final String EXAMPLE_KEY = "change-me";

	private static final Pattern KEY = Pattern.compile("[!-~]{16,256}");

	ServiceProperties {
		if (open != clients.isEmpty()) {
			throw new LockConfigurationException(
					open ? "lock.service.open is true, but there are clients with keys, which would not be checked."
							: "No client of the service has a key, so the service could not be used.",
					open ? "Remove lock.service.open, or lock.service.clients."
							: "Set lock.service.clients.<client>.api-key to a secret of at least 16 characters, which that client sends"
									+ " as X-API-Key. For example, start the service with"
									+ " --lock.service.clients.demo.api-key=" + EXAMPLE_KEY
									+ "-0123456789; `openssl rand -hex 24`"
									+ " makes a good secret. If every client that reaches the service may use it, set"
									+ " lock.service.open=true instead.");
		}
		checkLimits("lock.service", maxTtl, maxWait, maxLocks);
		Map<String, String> keys = new HashMap<>();
		clients.forEach((name, client) -> {
			String property = "lock.service.clients." + name;
			if (!NAME.matcher(name).matches()) {
				throw new LockConfigurationException(
						"'%s' in lock.service.clients is not a valid name of a client.".formatted(name),
						"Use 1 to 64 letters, digits, '-' and '_'.");
			}
			checkKey(property + ".api-key", client.apiKey());
			checkLimits(property, client.maxTtl(), client.maxWait(), client.maxLocks());
			String other = keys.put(client.apiKey(), name);
			check(property + ".api-key", "(not shown)", other == null, "Client '" + other + "' has the same key");
		});
	}

	private static void checkKey(String property, @Nullable String key) {
		check(property, "(not shown)", key != null && KEY.matcher(key).matches(),
				"An API key must have 16 to 256 visible ASCII characters; `openssl rand -hex 24` prints a suitable one");
	}

	private static void checkLimits(String prefix, @Nullable Duration maxTtl, @Nullable Duration maxWait,
			@Nullable Integer maxLocks) {
		check(prefix + ".max-ttl", maxTtl, maxTtl == null || (maxTtl.toMillis() > 0 && maxTtl.compareTo(LONGEST) <= 0),
				"It must be at least 1ms and at most 365d");
		check(prefix + ".max-wait", maxWait,
				maxWait == null || (!maxWait.isNegative() && maxWait.compareTo(LONGEST) <= 0),
				"It must be at least 0s and at most 365d");
		check(prefix + ".max-locks", maxLocks, maxLocks == null || maxLocks > 0, "It must be at least 1");
	}

	private static void check(String property, @Nullable Object value, boolean valid, String why) {
		if (!valid) {
			throw new InvalidConfigurationPropertyValueException(property, value, why);
		}
	}

	/** Returns the clients by their keys. */
	Map<String, Client> clientsByKey() {
		Map<String, Client> byKey = new HashMap<>();
		this.clients.forEach((name, client) -> byKey.put(client.apiKey(), client(name, client)));
		return byKey;
	}

	/** Returns the names of the clients whose key is an example. */
	List<String> clientsWithExampleKey() {
		return this.clients.entrySet()
			.stream()
			.filter((each) -> each.getValue().apiKey().startsWith(EXAMPLE_KEY))
			.map(Map.Entry::getKey)
			.toList();
	}

	/** Returns the client that stands for all users of an open service. */
	Client everybody() {
		return new Client("", this.maxTtl, this.maxWait, this.maxLocks);
	}

	private Client client(String name, Registered client) {
		return new Client(name, (client.maxTtl() != null) ? client.maxTtl() : this.maxTtl,
				(client.maxWait() != null) ? client.maxWait() : this.maxWait,
				(client.maxLocks() != null) ? client.maxLocks() : this.maxLocks);
	}

	/**
	 * A client of the service.
	 *
	 * @param apiKey Secret that the client sends, as X-API-Key or as a bearer token: 16
	 * to 256 characters.
	 * @param maxTtl Longest ttl that the client may request.
	 * @param maxWait Longest wait that the client may request.
	 * @param maxLocks Number of locks that the client may hold at a time, of those that
	 * one instance granted.
	 */
	record Registered(String apiKey, @Nullable Duration maxTtl, @Nullable Duration maxWait,
			@Nullable Integer maxLocks) {

		/** Does not contain the key. */
		@Override
		public String toString() {
			return "Registered[maxTtl=%s, maxWait=%s, maxLocks=%s]".formatted(this.maxTtl, this.maxWait, this.maxLocks);
		}

	}

}
