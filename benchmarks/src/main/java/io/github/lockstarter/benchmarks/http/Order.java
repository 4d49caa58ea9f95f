package io.github.lockstarter.benchmarks.http;

/**
 * What a request is bound to.
 *
 * @param number the key of its lock
 */
record Order(String number) {
}
