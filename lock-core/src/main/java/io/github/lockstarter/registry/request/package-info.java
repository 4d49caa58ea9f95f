/**
 * The requests of callers for a lock: what they accept, and their deadlines.
 */
@NullMarked
package io.github.lockstarter.registry.request;

import org.jspecify.annotations.NullMarked;
