package io.github.lockstarter.result;

/**
 * The sharing of the result of one call.
 *
 * @param results the sharing of the method's results
 * @param caller the caller
 */
public record SharedCall(ResultSharing results, Caller caller) {

}
