/**
 * The locks of a client, within its limits.
 */
@NullMarked
package io.github.lockstarter.service.lock;

import org.jspecify.annotations.NullMarked;
