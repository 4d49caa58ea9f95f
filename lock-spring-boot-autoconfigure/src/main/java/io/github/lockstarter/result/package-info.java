/**
 * Results that are shared with waiters, or replayed to later duplicates.
 */
@NullMarked
package io.github.lockstarter.result;

import org.jspecify.annotations.NullMarked;
