/**
 * Leases, their turns and their renewal.
 */
@NullMarked
package io.github.lockstarter.registry.lease;

import org.jspecify.annotations.NullMarked;
