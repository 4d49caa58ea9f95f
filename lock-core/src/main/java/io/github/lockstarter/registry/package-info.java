/**
 * The engine: grants the locks of a store to the callers of one instance.
 */
@NullMarked
package io.github.lockstarter.registry;

import org.jspecify.annotations.NullMarked;
