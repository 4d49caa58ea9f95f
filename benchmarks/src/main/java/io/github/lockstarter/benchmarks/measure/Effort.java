package io.github.lockstarter.benchmarks.measure;

import java.time.Duration;

/**
 * How much is measured.
 *
 * @param warmUpRounds how many rounds come before those that count
 * @param rounds how many rounds count
 * @param slice how long one candidate is measured in one round
 */
public record Effort(int warmUpRounds, int rounds, Duration slice) {
}
