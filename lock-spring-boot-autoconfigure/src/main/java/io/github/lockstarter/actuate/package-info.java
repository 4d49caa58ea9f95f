/**
 * What operators see: metrics, the {@code locks} endpoint, and health.
 */
@NullMarked
package io.github.lockstarter.actuate;

import org.jspecify.annotations.NullMarked;
