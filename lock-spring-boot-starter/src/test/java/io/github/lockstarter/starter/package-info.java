/**
 * The effect of the starter on an application.
 */
@NullMarked
package io.github.lockstarter.starter;

import org.jspecify.annotations.NullMarked;
