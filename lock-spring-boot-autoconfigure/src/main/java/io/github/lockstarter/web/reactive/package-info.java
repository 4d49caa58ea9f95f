/**
 * Spring WebFlux support: handlers that wait, the end of a request, and problem details.
 */
@NullMarked
package io.github.lockstarter.web.reactive;

import org.jspecify.annotations.NullMarked;
