/**
 * Support for clients of an API with locks: requests that were rejected temporarily are
 * repeated with the same {@code Idempotency-Key}.
 */
@NullMarked
package io.github.lockstarter.client;

import org.jspecify.annotations.NullMarked;
