package io.github.lockstarter.service.lock;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.service.Problem;
import io.github.lockstarter.service.client.Client;

/**
 * The name of a lock, as used by clients.
 *
 * @param text 1 to {@value #LONGEST} characters, except for control characters
 */
public record LockName(String text) {

	private static final int LONGEST = 255;

	private static final char REPLACEMENT_CHARACTER = '\uFFFD';

	public LockName {
		if (text.isBlank() || text.length() > LONGEST) {
			throw Problem.invalid("The name of a lock must be 1 to %d characters, not only blanks.".formatted(LONGEST));
		}
		if (text.equals(".") || text.equals("..")) {
			throw Problem.invalid("The name of a lock must not be '.' or '..': many clients remove them from a path.");
		}
		if (text.indexOf(REPLACEMENT_CHARACTER) >= 0 || text.chars().anyMatch(Character::isISOControl)) {
			throw Problem.invalid("The name of a lock must be UTF-8, percent-encoded, without control characters.");
		}
	}

	/** Returns the key of the lock in the library. It is different for each client. */
	LockKey of(Client client) {
		return new LockKey(client.lockName(), this.text);
	}

}
