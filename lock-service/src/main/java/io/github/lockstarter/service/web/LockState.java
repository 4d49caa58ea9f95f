package io.github.lockstarter.service.web;

/**
 * What everybody may know of a lock.
 *
 * @param name the name of the lock
 * @param held whether somebody holds it
 * @param expiresInMillis how long it is held unless it is extended; 0 if it is free
 */
record LockState(String name, boolean held, long expiresInMillis) {

}
