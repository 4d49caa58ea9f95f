/**
 * The workloads, one class each.
 */
@NullMarked
package io.github.lockstarter.benchmarks.workload;

import org.jspecify.annotations.NullMarked;
