/**
 * The requests for a lock: their callers, what they ask for, and until when.
 */
@NullMarked
package io.github.lockstarter.registry.request;

import org.jspecify.annotations.NullMarked;
