package io.github.lockstarter.interceptor;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.LeaseContext;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.operation.LockedMethod;

/**
 * Where a call of an annotated method comes from.
 *
 * @param request the request of the thread
 * @param handling the handling of that request, if the call is one of its handler
 * @param chain the annotated methods that enclose the call
 */
record CallOrigin(CurrentRequest request, @Nullable RequestHandling handling, CallChain chain) {

	/** Returns the origin of a call that has to acquire its locks. */
	static CallOrigin of(LockedMethod method, RequestSupport requests, @Nullable RequestHandling handling) {
		List<HeldLeases> ofThread = LeaseContext.snapshot();
		CallChain chain = (handling != null) ? new CallChain(ofThread, null).followedBy(handling.enclosing())
				: new CallChain(ofThread, method.waits() ? requests.leases() : null);
		return new CallOrigin(requests.currentRequest(), handling, chain);
	}

	/** Returns the origin of a call of a handler whose locks are acquired already. */
	static CallOrigin resumed(RequestHandling handling) {
		return new CallOrigin(CurrentRequest.NONE, handling, CallChain.NONE);
	}

}
