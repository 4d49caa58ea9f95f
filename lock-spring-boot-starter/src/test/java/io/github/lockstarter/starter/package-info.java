/**
 * What adding the starter does to an application.
 */
@NullMarked
package io.github.lockstarter.starter;

import org.jspecify.annotations.NullMarked;
