/**
 * Idempotent work in code: calls of it, and the repetitions that get its result.
 */
@NullMarked
package io.github.lockstarter.idempotency;

import org.jspecify.annotations.NullMarked;
