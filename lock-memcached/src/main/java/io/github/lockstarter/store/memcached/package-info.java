/**
 * The lock store in memcached, with Folsom as the client.
 */
@NullMarked
package io.github.lockstarter.store.memcached;

import org.jspecify.annotations.NullMarked;
