package io.github.lockstarter.web.servlet;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.context.RequestAttributeSecurityContextRepository;
import org.springframework.util.ClassUtils;

/**
 * Carries the security context of a suspended request to the dispatch in which its
 * handler is called, if Spring Security is present. The context of an authentication
 * filter of the application exists only on the thread of the first dispatch.
 */
final class CallerSecurity {

	private static final boolean PRESENT = ClassUtils.isPresent(
			"org.springframework.security.web.context.RequestAttributeSecurityContextRepository",
			CallerSecurity.class.getClassLoader());

	private static final String CONTEXT = CallerSecurity.class.getName();

	private static final String PREVIOUS = CONTEXT + ".previous";

	private CallerSecurity() {
	}

	/** Keeps the context of this thread for the next dispatch of the request. */
	static void keep(HttpServletRequest request) {
		if (PRESENT) {
			RequestContexts.keep(request);
		}
	}

	/** Restores the kept context on the thread of the next dispatch. */
	static void restore(HttpServletRequest request) {
		if (request.getAttribute(CONTEXT) != null) {
			RequestContexts.restore(request);
		}
	}

	/** Ends the dispatch, after which the thread has its previous context. */
	static void end(HttpServletRequest request) {
		if (request.getAttribute(PREVIOUS) != null) {
			RequestContexts.end(request);
		}
	}

	/** A class of its own, because Spring Security is optional. */
	private static final class RequestContexts {

		/** Where the filters of Spring Security look for the context of a request. */
		private static final String OF_FILTERS = RequestAttributeSecurityContextRepository.DEFAULT_REQUEST_ATTR_NAME;

		static void keep(HttpServletRequest request) {
			SecurityContext context = SecurityContextHolder.getContext();
			if (context.getAuthentication() == null) {
				return;
			}
			request.setAttribute(CONTEXT, context);
			if (request.getAttribute(OF_FILTERS) == null) {
				request.setAttribute(OF_FILTERS, context);
			}
		}

		static void restore(HttpServletRequest request) {
			if (request.getAttribute(CONTEXT) instanceof SecurityContext context) {
				request.removeAttribute(CONTEXT);
				@Nullable SecurityContext previous = SecurityContextHolder.getContext();
				request.setAttribute(PREVIOUS, previous);
				SecurityContextHolder.setContext(context);
			}
		}

		static void end(HttpServletRequest request) {
			if (request.getAttribute(PREVIOUS) instanceof SecurityContext previous) {
				request.removeAttribute(PREVIOUS);
				if (previous.getAuthentication() == null) {
					SecurityContextHolder.clearContext();
				}
				else {
					SecurityContextHolder.setContext(previous);
				}
			}
		}

	}

}
