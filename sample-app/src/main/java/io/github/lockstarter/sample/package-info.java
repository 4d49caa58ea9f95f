/**
 * User registration: the same work with and without a lock.
 */
@NullMarked
package io.github.lockstarter.sample;

import org.jspecify.annotations.NullMarked;
