package io.github.lockstarter.sample;

import java.util.List;

/**
 * A sum.
 *
 * @param values what was added
 * @param sum the sum
 * @param run how many reports this process had made by then, this one included
 */
record Report(List<Integer> values, long sum, int run) {

}
