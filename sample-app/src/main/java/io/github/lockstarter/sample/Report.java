package io.github.lockstarter.sample;

import java.util.List;

/**
 * A sum.
 *
 * @param values the values that were added
 * @param sum the sum
 * @param run the number of reports that this process has created, including this one
 */
record Report(List<Integer> values, long sum, int run) {

}
