package io.github.lockstarter.operation;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

import io.github.lockstarter.key.LockInvocation;
import io.github.lockstarter.result.Caller;
import io.github.lockstarter.result.ResultSharing;
import io.github.lockstarter.result.SharedCall;

/**
 * The sharing or replay of the results of an annotated method.
 *
 * @param results shares or replays them
 * @param scope the calls that are repetitions of each other; {@code null} if results are
 * shared with all callers
 */
record Sharing(ResultSharing results, @Nullable ReplayScope scope) {

	/** Returns whether a result is only for the principal of its call. */
	boolean readsPrincipal() {
		return this.scope != null;
	}

	/** Returns whether a result is only for the content of its request. */
	boolean readsContent() {
		return this.scope != null && this.scope.comparesRequests();
	}

	/** Returns whether a result is only for the arguments of its call. */
	boolean readsArguments() {
		return this.scope != null && !this.scope.comparesRequests();
	}

	/** Returns the sharing of the result of a call. */
	SharedCall of(LockInvocation call) {
		return new SharedCall(this.results, (this.scope != null) ? this.scope.of(call)
				: this.results.sharesResponses() ? ofRepresentation(call) : Caller.ANY);
	}

	/** A response is shared with requests that accept the same media types. */
	private static Caller ofRepresentation(LockInvocation call) {
		return new Caller(String.join(", ", call.headers(HttpHeaders.ACCEPT)), "");
	}

}
