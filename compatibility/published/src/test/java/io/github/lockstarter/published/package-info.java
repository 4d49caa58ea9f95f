/**
 * The published jars, each in a small project of its own kind, as a user adds them.
 */
@NullMarked
package io.github.lockstarter.published;

import org.jspecify.annotations.NullMarked;
