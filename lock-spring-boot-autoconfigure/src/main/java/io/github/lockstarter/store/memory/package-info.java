/**
 * Locks in this JVM alone.
 */
@NullMarked
package io.github.lockstarter.store.memory;

import org.jspecify.annotations.NullMarked;
