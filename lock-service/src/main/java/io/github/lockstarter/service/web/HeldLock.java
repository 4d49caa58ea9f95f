package io.github.lockstarter.service.web;

import io.github.lockstarter.TokenLocks.TokenLock;

/**
 * A lock that the client holds.
 *
 * @param name the name of the lock
 * @param token what to extend and release it with
 * @param fencingToken larger than that of every earlier holder
 * @param expiresInMillis how long the lock is held unless it is extended
 */
record HeldLock(String name, String token, long fencingToken, long expiresInMillis) {

	static HeldLock of(String name, TokenLock held) {
		return new HeldLock(name, held.token(), held.fencingToken(), held.remaining().toMillis());
	}

}
