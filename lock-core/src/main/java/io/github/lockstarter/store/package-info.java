/**
 * The SPI between the engine and the stores of locks.
 */
@NullMarked
package io.github.lockstarter.store;

import org.jspecify.annotations.NullMarked;
