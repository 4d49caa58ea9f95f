package io.github.lockstarter.interceptor;

import org.springframework.security.concurrent.DelegatingSecurityContextRunnable;
import org.springframework.util.ClassUtils;

/**
 * The security context of a thread, for a method that runs on another thread because it
 * has waited, if Spring Security is present.
 */
final class CallerSecurityContext {

	private static final boolean PRESENT = ClassUtils.isPresent(
			"org.springframework.security.core.context.SecurityContextHolder",
			CallerSecurityContext.class.getClassLoader());

	private CallerSecurityContext() {
	}

	/**
	 * Returns a task that runs with the security context of this thread, also if that is
	 * empty. Its thread has its previous context afterwards.
	 */
	static Runnable keep(Runnable task) {
		return PRESENT ? TaskContexts.keep(task) : task;
	}

	/** A class of its own, because Spring Security is optional. */
	private static final class TaskContexts {

		static Runnable keep(Runnable task) {
			return new DelegatingSecurityContextRunnable(task);
		}

	}

}
