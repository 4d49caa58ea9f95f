/**
 * The measured endpoints, and their clients.
 */
@NullMarked
package io.github.lockstarter.benchmarks.http;

import org.jspecify.annotations.NullMarked;
