package io.github.lockstarter.service.web;

/**
 * The state of a lock, without the token of its holder.
 *
 * @param name the name of the lock
 * @param held whether the lock is held
 * @param expiresInMillis the remaining time of the lock unless it is extended; 0 if it is
 * free
 */
record LockState(String name, boolean held, long expiresInMillis) {

}
