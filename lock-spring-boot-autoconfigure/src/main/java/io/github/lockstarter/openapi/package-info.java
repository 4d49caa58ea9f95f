/**
 * What the OpenAPI document says about handlers under a lock.
 */
@NullMarked
package io.github.lockstarter.openapi;

import org.jspecify.annotations.NullMarked;
