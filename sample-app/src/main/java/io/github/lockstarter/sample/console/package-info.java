/**
 * Tasks on the command line, with and without a lock.
 */
@NullMarked
package io.github.lockstarter.sample.console;

import org.jspecify.annotations.NullMarked;
