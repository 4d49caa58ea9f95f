/**
 * The API for applications: registries that grant leases and run idempotent work, and the
 * exceptions for locks that cannot be granted.
 */
@NullMarked
package io.github.lockstarter;

import org.jspecify.annotations.NullMarked;
