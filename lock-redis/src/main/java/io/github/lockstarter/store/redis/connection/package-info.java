/**
 * The connections of the Redis lock store: its own, or those of the application.
 */
@NullMarked
package io.github.lockstarter.store.redis.connection;

import org.jspecify.annotations.NullMarked;
