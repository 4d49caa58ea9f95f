package io.github.lockstarter.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockDeadlockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.completion.HeldLeases;

/**
 * The annotated methods that enclose a call, and their leases. The chain is available on
 * the thread that runs a method, in its Reactor context, and in the tasks that Spring MVC
 * runs for it.
 *
 * @param leases the leases, those of the innermost method first
 * @param ofRequest the leases of the handler of the request, on any thread; {@code null}
 * if there are none
 */
record CallChain(List<HeldLeases> leases, @Nullable HeldLeases ofRequest) {

	/** No annotated method. */
	static final CallChain NONE = new CallChain(List.of(), null);

	/** Returns whether no annotated method encloses the call. */
	boolean isEmpty() {
		return this.leases.isEmpty();
	}

	/** Returns this chain within another one. */
	CallChain within(List<HeldLeases> outer) {
		return outer.isEmpty() ? this
				: new CallChain(Stream.concat(outer.stream(), this.leases.stream()).toList(), this.ofRequest);
	}

	/** Returns this chain within another one, which is searched last. */
	CallChain followedBy(List<HeldLeases> outer) {
		return outer.isEmpty() ? this
				: new CallChain(Stream.concat(this.leases.stream(), outer.stream()).toList(), this.ofRequest);
	}

	/**
	 * Joins a lease of the chain for the call.
	 * @return the joined lease; {@code null} if the chain does not hold the lock
	 * @throws io.github.lockstarter.LeaseLostException if the lease was lost
	 */
	@Nullable Lease join(LockKey key) {
		for (HeldLeases each : this.leases) {
			Lease joined = each.join(key);
			if (joined != null) {
				return joined;
			}
		}
		return null;
	}

	/** Returns whether the chain holds the lock now. */
	boolean holds(LockKey key) {
		return this.leases.stream().anyMatch((each) -> each.hold(key));
	}

	/**
	 * Rejects a wait for a lock that the handler of the same request holds. The handler
	 * runs on another thread, or has returned, so it is unknown whether it waits for the
	 * call.
	 * @throws LockDeadlockException if the handler holds the lock
	 */
	void checkRequest(LockKey key, Method method) {
		if (this.ofRequest != null && this.ofRequest.hold(key)) {
			throw new LockDeadlockException(key,
					"%s needs it outside of the call chain of %s, which holds it for the same request".formatted(
							WaitGraph.name(method), WaitGraph.name(Objects.requireNonNull(this.ofRequest.method()))));
		}
	}

}
