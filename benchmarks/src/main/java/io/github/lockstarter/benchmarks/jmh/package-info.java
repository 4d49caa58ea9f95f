/**
 * Operations that are too short to be measured without JMH.
 */
@NullMarked
package io.github.lockstarter.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
