/**
 * The lock store in Redis, with Lettuce as the client.
 */
@NullMarked
package io.github.lockstarter.store.redis;

import org.jspecify.annotations.NullMarked;
