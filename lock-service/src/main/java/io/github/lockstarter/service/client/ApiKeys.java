package io.github.lockstarter.service.client;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The API keys of the clients. A lookup takes constant time for any key, to prevent
 * timing attacks.
 */
final class ApiKeys {

	private final List<Entry> entries;

	ApiKeys(Map<String, Client> clientsByKey) {
		this.entries = clientsByKey.entrySet()
			.stream()
			.map((each) -> new Entry(digest(each.getKey()), each.getValue()))
			.toList();
	}

	/** Returns the client with the key. */
	Optional<Client> find(String key) {
		byte[] digest = digest(key);
		Optional<Client> found = Optional.empty();
		for (Entry entry : this.entries) {
			if (MessageDigest.isEqual(entry.digest, digest)) {
				found = Optional.of(entry.client);
			}
		}
		return found;
	}

	private static byte[] digest(String key) {
		try {
			return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static final class Entry {

		private final byte[] digest;

		private final Client client;

		Entry(byte[] digest, Client client) {
			this.digest = digest;
			this.client = client;
		}

	}

}
