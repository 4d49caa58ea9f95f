package io.github.lockstarter.result;

import java.time.Duration;

/**
 * The settings for the replay of a method's results to later duplicates.
 *
 * @param keep the time for which they are kept
 * @param responses selects the responses that are kept
 */
public record ReplayRetention(Duration keep, KeptResponses responses) {

}
