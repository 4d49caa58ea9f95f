/**
 * Locks in Redis, through Lettuce.
 */
@NullMarked
package io.github.lockstarter.store.redis;

import org.jspecify.annotations.NullMarked;
