/**
 * The annotation that puts a method under a lock.
 */
@NullMarked
package io.github.lockstarter.annotation;

import org.jspecify.annotations.NullMarked;
