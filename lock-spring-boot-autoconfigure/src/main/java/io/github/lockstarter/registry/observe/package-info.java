/**
 * What operators see of locks: counts, observations, events and logs. They follow
 * afterwards, and not on the threads of the engine.
 */
@NullMarked
package io.github.lockstarter.registry.observe;

import org.jspecify.annotations.NullMarked;
