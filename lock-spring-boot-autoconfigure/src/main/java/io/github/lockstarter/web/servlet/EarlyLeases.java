package io.github.lockstarter.web.servlet;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.LeaseContext;
import io.github.lockstarter.interceptor.LockAcquisition;
import io.github.lockstarter.operation.LockedMethod;

/**
 * The leases that a dispatch has acquired for its handler before the arguments of the
 * handler are resolved. The call of the handler takes them. Until then, calls on the
 * thread of the request join them.
 */
final class EarlyLeases {

	private static final String ATTRIBUTE = EarlyLeases.class.getName();

	/** The handler of the dispatch, an object of its own in each dispatch. */
	private final Object handler;

	private final LockAcquisition locks;

	private final HeldLeases leases;

	/** Those of the dispatch that encloses this one, if there are any. */
	private final @Nullable Object outer;

	private boolean taken;

	private EarlyLeases(Object handler, LockAcquisition locks, HeldLeases leases, @Nullable Object outer) {
		this.handler = handler;
		this.locks = locks;
		this.leases = leases;
		this.outer = outer;
	}

	/**
	 * Begins the dispatch under the leases.
	 * @throws LeaseLostException if one has been lost since its grant
	 */
	static void begin(HttpServletRequest request, Object handler, LockAcquisition locks, HeldLeases leases) {
		try {
			LeaseContext.push(leases);
		}
		catch (LeaseLostException ex) {
			leases.abandon();
			throw ex;
		}
		request.setAttribute(ATTRIBUTE, new EarlyLeases(handler, locks, leases, request.getAttribute(ATTRIBUTE)));
	}

	/**
	 * Takes, once, the leases for a call of the handler.
	 * @return the leases; {@code null} if there are none for the method
	 */
	static @Nullable EarlyLeases take(HttpServletRequest request, LockedMethod method) {
		if (request.getAttribute(ATTRIBUTE) instanceof EarlyLeases early && !early.taken
				&& early.locks.method() == method) {
			early.taken = true;
			LeaseContext.pop();
			return early;
		}
		return null;
	}

	/**
	 * Ends the dispatch. If it began under leases, they are released if the handler was
	 * not called. Those of an enclosing dispatch are not.
	 */
	static void end(HttpServletRequest request, Object handler) {
		if (request.getAttribute(ATTRIBUTE) instanceof EarlyLeases early && early.handler == handler) {
			request.setAttribute(ATTRIBUTE, early.outer);
			if (!early.taken) {
				LeaseContext.pop();
				early.leases.abandon();
			}
		}
	}

	LockAcquisition locks() {
		return this.locks;
	}

	HeldLeases leases() {
		return this.leases;
	}

}
