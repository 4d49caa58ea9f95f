/**
 * The candidates: this library, its peers, and the baseline.
 */
@NullMarked
package io.github.lockstarter.benchmarks.candidate;

import org.jspecify.annotations.NullMarked;
