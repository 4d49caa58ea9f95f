/**
 * Tasks on the command line, without a lock and with one.
 */
@NullMarked
package io.github.lockstarter.sample.console;

import org.jspecify.annotations.NullMarked;
