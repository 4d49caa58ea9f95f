/**
 * Locks as an application uses them: a registry hands out leases, and says plainly when
 * it cannot.
 */
@NullMarked
package io.github.lockstarter;

import org.jspecify.annotations.NullMarked;
