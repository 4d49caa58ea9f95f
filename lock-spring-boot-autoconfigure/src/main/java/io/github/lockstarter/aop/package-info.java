/**
 * From an annotated method to a held lock: settings, key expressions, advice.
 */
@NullMarked
package io.github.lockstarter.aop;

import org.jspecify.annotations.NullMarked;
