/**
 * The engine behind {@link io.github.lockstarter.LockRegistry}: attempts, waiting and the
 * life of a lease.
 */
@NullMarked
package io.github.lockstarter.registry;

import org.jspecify.annotations.NullMarked;
