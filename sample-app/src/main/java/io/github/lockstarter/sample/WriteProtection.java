package io.github.lockstarter.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * * Rejects a request that may change something, if a proxy has forwarded it or the page
 * of another site has sent it: the sample has no users of its own. Such a proxy is
 * recognized by its headers. Such a page is recognized by its origin, or by the name of
 * its own site, which may resolve to this machine.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class WriteProtection extends OncePerRequestFilter {

	private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

	private static final Set<String> OWN_PAGES = Set.of("same-origin", "none");

	/** Only addresses, because a name would be looked up. */
	private static final Pattern ADDRESS = Pattern.compile("[0-9.]{1,15}|\\[[0-9a-f:.]{1,45}]",
			Pattern.CASE_INSENSITIVE);

	private final JsonMapper json;

	WriteProtection(JsonMapper json) {
		this.json = json;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		// No page of another site can show this one, and let its visitors click on it.
		response.setHeader("X-Frame-Options", "DENY");
		if (SAFE_METHODS.contains(request.getMethod()) || isDirect(request)) {
			chain.doFilter(request, response);
			return;
		}
		response.setStatus(HttpStatus.FORBIDDEN.value());
		response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
		this.json.writeValue(response.getOutputStream(), ProblemDetail.forStatusAndDetail(HttpStatus.FORBIDDEN,
				"The sample changes nothing for a request that a proxy has forwarded, or that the page of another site has sent. Open it at http://localhost:%d/."
					.formatted(request.getLocalPort())));
	}

	private static boolean isDirect(HttpServletRequest request) {
		String site = request.getHeader("Sec-Fetch-Site");
		return Collections.list(request.getHeaderNames()).stream().noneMatch(WriteProtection::isOfProxy)
				&& isLocal(request.getServerName(), request.getLocalAddr())
				&& (site == null || OWN_PAGES.contains(site)) && isOwn(request.getHeader(HttpHeaders.ORIGIN), request);
	}

	/** Returns whether the client has used the address at which its request arrived. */
	private static boolean isLocal(String host, String address) {
		try {
			InetAddress local = InetAddress.getByName(address);
			if (host.equalsIgnoreCase("localhost")) {
				return local.isLoopbackAddress();
			}
			InetAddress named = ADDRESS.matcher(host).matches() ? InetAddress.getByName(host) : null;
			return named != null && (named.equals(local) || (named.isLoopbackAddress() && local.isLoopbackAddress()));
		}
		catch (UnknownHostException ex) {
			return false;
		}
	}

	private static boolean isOfProxy(String header) {
		String name = header.toLowerCase(Locale.ROOT);
		return name.equals("forwarded") || name.equals("via") || name.startsWith("x-forwarded-")
				|| name.equals("x-real-ip");
	}

	private static boolean isOwn(@Nullable String origin, HttpServletRequest request) {
		return origin == null || origin.endsWith("://" + request.getHeader(HttpHeaders.HOST));
	}

}
