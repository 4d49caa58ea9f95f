package io.github.lockstarter.result;

/**
 * The sharing of the result of one call.
 *
 * @param results what is done with results
 * @param caller who calls
 */
public record SharedCall(ResultSharing results, Caller caller) {

}
