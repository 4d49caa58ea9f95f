/**
 * What the engine takes from outside: time, threads and randomness.
 */
@NullMarked
package io.github.lockstarter.registry.runtime;

import org.jspecify.annotations.NullMarked;
