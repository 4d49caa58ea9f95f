/**
 * Locks for tests: in memory, and controlled by the test.
 */
@NullMarked
package io.github.lockstarter.test;

import org.jspecify.annotations.NullMarked;
