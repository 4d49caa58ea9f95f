/**
 * The annotation that guards a method with a lock.
 */
@NullMarked
package io.github.lockstarter.annotation;

import org.jspecify.annotations.NullMarked;
