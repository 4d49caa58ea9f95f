/**
 * Expressions with the data of a call, and the conversion of their values to keys of
 * locks.
 */
@NullMarked
package io.github.lockstarter.key;

import org.jspecify.annotations.NullMarked;
