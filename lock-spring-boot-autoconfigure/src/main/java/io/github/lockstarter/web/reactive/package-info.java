/**
 * Problem details for Spring WebFlux.
 */
@NullMarked
package io.github.lockstarter.web.reactive;

import org.jspecify.annotations.NullMarked;
