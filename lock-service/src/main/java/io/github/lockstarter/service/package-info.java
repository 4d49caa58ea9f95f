/**
 * The lock service: locks over HTTP, as a stand-alone application.
 */
@NullMarked
package io.github.lockstarter.service;

import org.jspecify.annotations.NullMarked;
