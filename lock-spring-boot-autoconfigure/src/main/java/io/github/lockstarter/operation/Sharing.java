package io.github.lockstarter.operation;

import java.security.Principal;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.key.ArgumentFingerprint;
import io.github.lockstarter.key.LockInvocation;
import io.github.lockstarter.result.Caller;
import io.github.lockstarter.result.ResultSharing;
import io.github.lockstarter.result.SharedCall;

/**
 * How the results of an annotated method are shared or replayed.
 *
 * @param results what is done with them
 * @param arguments compares arguments, where they are to be the same
 */
record Sharing(ResultSharing results, @Nullable ArgumentFingerprint arguments) {

	/** Returns whether it matters who calls. */
	boolean readsPrincipal() {
		return this.arguments != null;
	}

	/** Returns how the result of a call is shared. */
	SharedCall of(LockInvocation call) {
		return new SharedCall(this.results, caller(call));
	}

	/** Returns who calls, as far as it matters. */
	private Caller caller(LockInvocation call) {
		if (this.arguments == null) {
			return Caller.ANY;
		}
		Principal principal = call.getPrincipal();
		return new Caller((principal != null) ? principal.getName() : "", this.arguments.of(call.getArgs()));
	}

}
