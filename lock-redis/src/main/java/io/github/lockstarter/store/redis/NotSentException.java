package io.github.lockstarter.store.redis;

import io.lettuce.core.RedisException;

/**
 * Fails a request whose connection was closed or replaced before the request was sent.
 */
final class NotSentException extends RedisException {

	NotSentException() {
		super("The connection was closed before the request was sent");
	}

}
