package io.github.lockstarter.aop;

import java.security.Principal;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * The HTTP request that a call belongs to, as far as keys may look at it.
 */
interface CurrentRequest {

	@Nullable Principal principal();

	@Nullable String header(String name);

	@Nullable String path();

	/** Returns the request of this thread; one without any value if there is none. */
	static CurrentRequest get() {
		return OfServlet.AVAILABLE ? OfServlet.current() : new Absent();
	}

	/** Outside of requests. */
	record Absent() implements CurrentRequest {

		@Override
		public @Nullable Principal principal() {
			return null;
		}

		@Override
		public @Nullable String header(String name) {
			return null;
		}

		@Override
		public @Nullable String path() {
			return null;
		}

	}

	/** A request of Spring MVC. */
	record OfServlet(HttpServletRequest request) implements CurrentRequest {

		static final boolean AVAILABLE = ClassUtils.isPresent("jakarta.servlet.http.HttpServletRequest",
				OfServlet.class.getClassLoader());

		static CurrentRequest current() {
			return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
					? new OfServlet(attributes.getRequest()) : new Absent();
		}

		@Override
		public @Nullable Principal principal() {
			return this.request.getUserPrincipal();
		}

		@Override
		public @Nullable String header(String name) {
			return this.request.getHeader(name);
		}

		@Override
		public @Nullable String path() {
			return this.request.getRequestURI();
		}

	}

}
