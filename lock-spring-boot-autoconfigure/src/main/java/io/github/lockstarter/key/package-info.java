/**
 * Expressions over a call, and the keys of locks that are made from their values.
 */
@NullMarked
package io.github.lockstarter.key;

import org.jspecify.annotations.NullMarked;
