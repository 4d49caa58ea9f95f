/**
 * The tools for measurements: load, rounds, ratios, other processes, and the commands
 * that servers receive.
 */
@NullMarked
package io.github.lockstarter.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
