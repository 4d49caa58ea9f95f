/**
 * The counter of the events of an application.
 */
@NullMarked
package io.github.lockstarter.count;

import org.jspecify.annotations.NullMarked;
