/**
 * The external inputs of the engine: time, threads and randomness.
 */
@NullMarked
package io.github.lockstarter.registry.runtime;

import org.jspecify.annotations.NullMarked;
