package io.github.lockstarter.result;

import java.time.Duration;

/**
 * The replay of a method's results to later duplicates.
 *
 * @param keep for how long they are kept
 * @param answers which are kept
 */
public record Replay(Duration keep, KeptAnswers answers) {

}
