/**
 * The lock store in the memory of this instance.
 */
@NullMarked
package io.github.lockstarter.store.memory;

import org.jspecify.annotations.NullMarked;
