/**
 * Tests of a store of your own. A JUnit class that extends {@link LockStoreContract} runs
 * the contract of every store, and that of each {@link Capability} that the store
 * declares:
 *
 * <pre>
 * class OwnLockStoreTests extends LockStoreContract {
 *
 *     private final OwnLockStore store = new OwnLockStore(server);
 *
 *     &#64;Override
 *     protected LockStore store() {
 *         return this.store;
 *     }
 *
 *     &#64;Override
 *     protected LockStore otherInstance() {
 *         return new OwnLockStore(server);
 *     }
 *
 *     &#64;Override
 *     protected long locksInStore() {
 *         return server.count("lock:*");
 *     }
 *
 * }
 * </pre>
 *
 * The module needs no Spring Boot. It brings the API of JUnit, AssertJ and Awaitility,
 * but no engine of JUnit: Maven adds one by itself, and Gradle needs
 * {@code org.junit.jupiter:junit-jupiter} and {@code useJUnitPlatform()}. The keys of the
 * locks are random, so that the server need not be empty. Nobody else may acquire locks
 * that {@code locksInStore()} counts while the tests run.
 */
@NullMarked
package io.github.lockstarter.store.test;

import org.jspecify.annotations.NullMarked;

import io.github.lockstarter.store.Capability;
