package io.github.lockstarter.benchmarks.measure;

import java.time.Duration;

/**
 * The effort of a measurement.
 *
 * @param warmUpRounds the number of warm-up rounds
 * @param rounds the number of measured rounds
 * @param slice the time for one candidate in one round
 */
public record Effort(int warmUpRounds, int rounds, Duration slice) {
}
