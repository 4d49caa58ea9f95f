package io.github.lockstarter.operation;

import java.security.Principal;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.key.ArgumentFingerprint;
import io.github.lockstarter.key.LockInvocation;
import io.github.lockstarter.result.Caller;
import io.github.lockstarter.result.ResultSharing;
import io.github.lockstarter.result.SharedCall;

/**
 * The sharing or replay of the results of an annotated method.
 *
 * @param results shares or replays them
 * @param arguments the fingerprint of arguments, which must be equal for a replay;
 * {@code null} without one
 */
record Sharing(ResultSharing results, @Nullable ArgumentFingerprint arguments) {

	/** Returns whether a result is only for the principal of its call. */
	boolean readsPrincipal() {
		return this.arguments != null;
	}

	/** Returns whether a result is only for the arguments of its call. */
	boolean readsArguments() {
		return this.arguments != null;
	}

	/** Returns the sharing of the result of a call. */
	SharedCall of(LockInvocation call) {
		return new SharedCall(this.results, caller(call));
	}

	/** Returns the principal and the arguments, if results are restricted to these. */
	private Caller caller(LockInvocation call) {
		if (this.arguments == null) {
			return Caller.ANY;
		}
		Principal principal = call.getPrincipal();
		return new Caller((principal != null) ? principal.getName() : "", this.arguments.of(call));
	}

}
