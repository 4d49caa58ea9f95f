/**
 * The local state of one lock in this instance: its queue, its turns, its wake-ups.
 */
@NullMarked
package io.github.lockstarter.registry.entry;

import org.jspecify.annotations.NullMarked;
