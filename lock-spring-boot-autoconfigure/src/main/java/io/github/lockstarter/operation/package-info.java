/**
 * What is to be locked: the annotation and the configuration of a method, read and
 * checked once, at start-up.
 */
@NullMarked
package io.github.lockstarter.operation;

import org.jspecify.annotations.NullMarked;
