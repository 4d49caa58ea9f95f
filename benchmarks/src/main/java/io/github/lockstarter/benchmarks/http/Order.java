package io.github.lockstarter.benchmarks.http;

/**
 * The object to which a request is bound.
 *
 * @param number the key of its lock
 */
record Order(String number) {
}
