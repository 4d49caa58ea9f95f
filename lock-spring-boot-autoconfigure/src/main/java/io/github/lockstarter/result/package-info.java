/**
 * Results that are shared with waiting callers, or replayed to later ones.
 */
@NullMarked
package io.github.lockstarter.result;

import org.jspecify.annotations.NullMarked;
