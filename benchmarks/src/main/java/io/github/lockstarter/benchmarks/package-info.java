/**
 * A comparison of the library with its alternatives, in one run, on one Redis.
 */
@NullMarked
package io.github.lockstarter.benchmarks;

import org.jspecify.annotations.NullMarked;
