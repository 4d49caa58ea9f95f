/**
 * The library beside what a user would take instead, in one run, on one Redis.
 */
@NullMarked
package io.github.lockstarter.benchmarks;

import org.jspecify.annotations.NullMarked;
