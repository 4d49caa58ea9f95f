/**
 * The attempts of callers to acquire a lock: what they accept, and their deadlines.
 */
@NullMarked
package io.github.lockstarter.registry.acquisition;

import org.jspecify.annotations.NullMarked;
