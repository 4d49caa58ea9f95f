/**
 * What is so short that it takes JMH to measure it.
 */
@NullMarked
package io.github.lockstarter.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
