package io.github.lockstarter.service.web;

import io.github.lockstarter.TokenLocks.TokenLock;

/**
 * A lock that the client holds.
 *
 * @param name the name of the lock
 * @param token the token for extending and releasing it
 * @param fencingToken a number that is larger than that of every earlier holder
 * @param expiresInMillis the remaining time of the lock unless it is extended
 */
record HeldLock(String name, String token, long fencingToken, long expiresInMillis) {

	static HeldLock of(String name, TokenLock held) {
		return new HeldLock(name, held.token(), held.fencingToken(), held.remaining().toMillis());
	}

}
