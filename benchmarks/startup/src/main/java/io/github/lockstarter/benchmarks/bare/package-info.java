/**
 * An application that does nothing, to compare servers with.
 */
@NullMarked
package io.github.lockstarter.benchmarks.bare;

import org.jspecify.annotations.NullMarked;
