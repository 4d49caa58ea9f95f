package io.github.lockstarter.service.web;

/**
 * A lock as it is, without what only its holder may know.
 *
 * @param name the name of the lock
 * @param held whether somebody holds it
 * @param expiresInMillis how long it is held unless it is extended; 0 if it is free
 */
record LockState(String name, boolean held, long expiresInMillis) {

}
