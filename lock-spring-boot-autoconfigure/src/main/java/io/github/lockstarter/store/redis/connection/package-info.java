/**
 * How the locks in Redis reach it: over connections of the library's own, or over those
 * that an application has.
 */
@NullMarked
package io.github.lockstarter.store.redis.connection;

import org.jspecify.annotations.NullMarked;
