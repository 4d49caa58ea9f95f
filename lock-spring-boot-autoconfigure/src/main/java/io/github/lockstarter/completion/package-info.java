/**
 * Releases leases when the work of a call has ended: one adapter for each kind of result.
 */
@NullMarked
package io.github.lockstarter.completion;

import org.jspecify.annotations.NullMarked;
