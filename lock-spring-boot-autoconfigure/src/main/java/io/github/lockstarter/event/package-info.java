/**
 * The events that applications listen to, and their publication.
 */
@NullMarked
package io.github.lockstarter.event;

import org.jspecify.annotations.NullMarked;
