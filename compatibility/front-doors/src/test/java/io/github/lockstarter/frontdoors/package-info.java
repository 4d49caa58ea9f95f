/**
 * Locks of methods that are called by other frameworks than Spring MVC and WebFlux.
 */
@NullMarked
package io.github.lockstarter.frontdoors;

import org.jspecify.annotations.NullMarked;
