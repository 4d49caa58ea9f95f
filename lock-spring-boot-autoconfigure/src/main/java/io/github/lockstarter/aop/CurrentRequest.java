package io.github.lockstarter.aop;

import java.security.Principal;
import java.util.stream.Collectors;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer.PathSegment;
import org.springframework.http.server.RequestPath;
import org.springframework.http.server.PathContainer;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * The HTTP request that a call belongs to, as far as keys may look at it.
 */
interface CurrentRequest {

	@Nullable Principal principal();

	@Nullable String header(String name);

	@Nullable String path();

	/** Returns the request of this thread; one without any value if there is none. */
	static CurrentRequest get() {
		return Present.SERVLET ? OfServlet.current() : new Absent();
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
			RequestPath path = ServletRequestPathUtils.hasParsedRequestPath(this.request)
					? ServletRequestPathUtils.getParsedRequestPath(this.request)
					: ServletRequestPathUtils.parseAndCache(this.request);
			return canonical(path.pathWithinApplication());
		}

	}

	/** A request of Spring WebFlux. */
	record OfExchange(ServerWebExchange exchange, @Nullable Principal principal) implements CurrentRequest {

		@Override
		public @Nullable String header(String name) {
			return this.exchange.getRequest().getHeaders().getFirst(name);
		}

		@Override
		public @Nullable String path() {
			return canonical(this.exchange.getRequest().getPath().pathWithinApplication());
		}

	}

	/** However a client writes a path: decoded, and without matrix parameters. */
	private static String canonical(PathContainer path) {
		return path.elements()
			.stream()
			.map((element) -> (element instanceof PathSegment segment)
					? segment.valueToMatch().replace("%", "%25").replace("/", "%2F") : element.value())
			.collect(Collectors.joining());
	}

}
