/**
 * The locks of annotated methods, from their annotations and the configuration, read and
 * checked once, at startup.
 */
@NullMarked
package io.github.lockstarter.operation;

import org.jspecify.annotations.NullMarked;
