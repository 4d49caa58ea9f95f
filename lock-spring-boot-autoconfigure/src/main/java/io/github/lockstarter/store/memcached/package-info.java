/**
 * Locks in memcached, through Folsom.
 */
@NullMarked
package io.github.lockstarter.store.memcached;

import org.jspecify.annotations.NullMarked;
