/**
 * Metrics, the {@code locks} endpoint, and health for operators.
 */
@NullMarked
package io.github.lockstarter.actuate;

import org.jspecify.annotations.NullMarked;
