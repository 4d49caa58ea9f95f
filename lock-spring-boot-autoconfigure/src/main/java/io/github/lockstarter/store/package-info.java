/**
 * The SPI between the engine and the place where locks live.
 */
@NullMarked
package io.github.lockstarter.store;

import org.jspecify.annotations.NullMarked;
