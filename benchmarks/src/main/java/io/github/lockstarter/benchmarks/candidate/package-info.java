/**
 * What is compared: this library, its peers, and the floor under all of them.
 */
@NullMarked
package io.github.lockstarter.benchmarks.candidate;

import org.jspecify.annotations.NullMarked;
