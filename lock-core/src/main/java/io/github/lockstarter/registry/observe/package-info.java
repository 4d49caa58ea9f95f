/**
 * Counts, observations, events and logs of locks for operators, off the threads of the
 * engine.
 */
@NullMarked
package io.github.lockstarter.registry.observe;

import org.jspecify.annotations.NullMarked;
