/**
 * An application whose start is measured.
 */
@NullMarked
package io.github.lockstarter.benchmarks.startup;

import org.jspecify.annotations.NullMarked;
