/**
 * For applications that call an API under locks: requests that are repeated when they
 * were refused for the time being, with one {@code Idempotency-Key}.
 */
@NullMarked
package io.github.lockstarter.client;

import org.jspecify.annotations.NullMarked;
