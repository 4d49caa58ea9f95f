/**
 * Expressions over a call, and the keys that their values stand for.
 */
@NullMarked
package io.github.lockstarter.key;

import org.jspecify.annotations.NullMarked;
