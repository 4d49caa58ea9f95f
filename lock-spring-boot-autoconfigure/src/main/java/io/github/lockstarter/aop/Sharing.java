package io.github.lockstarter.aop;

import java.security.Principal;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.share.Caller;
import io.github.lockstarter.share.ResultSharing;

/**
 * How the results of an annotated method are shared or replayed.
 *
 * @param results what is done with them
 * @param arguments compares arguments, where they are to be the same
 */
record Sharing(ResultSharing results, @Nullable ArgumentDigest arguments) {

	/** Returns whether it matters who calls. */
	boolean readsPrincipal() {
		return this.arguments != null;
	}

	/** Returns who calls, as far as it matters. */
	Caller caller(Call call) {
		if (this.arguments == null) {
			return Caller.ANY;
		}
		Principal principal = call.getPrincipal();
		return new Caller((principal != null) ? principal.getName() : "", this.arguments.of(call.getArgs()));
	}

	/**
	 * The sharing of one call.
	 *
	 * @param results what is done with results
	 * @param caller who calls
	 */
	record OfCall(ResultSharing results, Caller caller) {
	}

}
