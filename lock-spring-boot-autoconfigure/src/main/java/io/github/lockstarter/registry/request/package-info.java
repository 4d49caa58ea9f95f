/**
 * Who asks for a lock, for what, and until when.
 */
@NullMarked
package io.github.lockstarter.registry.request;

import org.jspecify.annotations.NullMarked;
