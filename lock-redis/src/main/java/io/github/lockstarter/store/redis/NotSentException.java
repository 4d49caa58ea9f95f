package io.github.lockstarter.store.redis;

import io.lettuce.core.RedisException;

/**
 * Fails a command whose connection was closed or replaced before the command was sent.
 */
final class NotSentException extends RedisException {

	NotSentException() {
		super("The connection was closed before the command was sent");
	}

}
