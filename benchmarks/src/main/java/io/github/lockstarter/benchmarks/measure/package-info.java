/**
 * How it is measured: load, rounds, ratios, other processes, and what Redis sees.
 */
@NullMarked
package io.github.lockstarter.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
