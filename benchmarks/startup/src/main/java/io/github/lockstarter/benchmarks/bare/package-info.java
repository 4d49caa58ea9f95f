/**
 * An application that does nothing, as a baseline for servers.
 */
@NullMarked
package io.github.lockstarter.benchmarks.bare;

import org.jspecify.annotations.NullMarked;
