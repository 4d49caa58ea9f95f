/**
 * The results of what is done under locks: who gets them, and how they are written.
 */
@NullMarked
package io.github.lockstarter.share;

import org.jspecify.annotations.NullMarked;
