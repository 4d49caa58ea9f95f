/**
 * One lock as this JVM sees it: its queue, its turns, its wake-ups.
 */
@NullMarked
package io.github.lockstarter.registry.entry;

import org.jspecify.annotations.NullMarked;
