/**
 * The endpoints that are measured, and the clients that ask them.
 */
@NullMarked
package io.github.lockstarter.benchmarks.http;

import org.jspecify.annotations.NullMarked;
