/**
 * The candidates: this library, its peers, and the floor.
 */
@NullMarked
package io.github.lockstarter.benchmarks.candidate;

import org.jspecify.annotations.NullMarked;
