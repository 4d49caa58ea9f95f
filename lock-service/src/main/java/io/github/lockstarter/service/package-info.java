/**
 * The lock over HTTP, as an application of its own.
 */
@NullMarked
package io.github.lockstarter.service;

import org.jspecify.annotations.NullMarked;
