package io.github.lockstarter.sample.demo;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Set;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * The machine of this instance: a server is killed only there, and only for its own
 * callers.
 */
final class ThisMachine {

	private static final Set<String> NAMES = Set.of("localhost", "127.0.0.1", "[::1]", "[0:0:0:0:0:0:0:1]");

	private static final Set<String> OWN_PAGES = Set.of("same-origin", "none");

	private ThisMachine() {
	}

	/**
	 * Returns whether a request was sent from here, but not by the page of another site
	 * in a browser that runs here. Such a page is recognized by its origin, or by the
	 * name of its own site, which may resolve to this machine.
	 */
	static boolean sent(HttpServletRequest request) {
		String site = request.getHeader("Sec-Fetch-Site");
		return isLoopback(request.getRemoteAddr()) && isNamed(request.getServerName())
				&& (site == null || OWN_PAGES.contains(site)) && isOwn(request.getHeader(HttpHeaders.ORIGIN), request);
	}

	private static boolean isOwn(@Nullable String origin, HttpServletRequest request) {
		return origin == null || origin.endsWith("://" + request.getHeader(HttpHeaders.HOST));
	}

	/** Returns whether an instance answers at a loopback address. */
	static boolean runs(Instance instance) {
		return isNamed(URI.create(instance.url()).getHost());
	}

	private static boolean isNamed(@Nullable String host) {
		return host != null && NAMES.contains(host);
	}

	private static boolean isLoopback(String address) {
		try {
			return InetAddress.getByName(address).isLoopbackAddress();
		}
		catch (UnknownHostException ex) {
			return false;
		}
	}

}
