/**
 * A lease, the turn that it is part of, and its renewal.
 */
@NullMarked
package io.github.lockstarter.registry.lease;

import org.jspecify.annotations.NullMarked;
