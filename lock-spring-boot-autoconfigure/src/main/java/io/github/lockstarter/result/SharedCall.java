package io.github.lockstarter.result;

/**
 * The sharing of a result among calls of one caller.
 *
 * @param results the sharing of the method's results
 * @param caller the caller
 */
public record SharedCall(ResultSharing results, Caller caller) {

}
