package io.github.lockstarter.sample.demo;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Set;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * The machine of this instance: a server is killed only there, and only for its own
 * callers.
 */
final class ThisMachine {

	private static final Set<String> NAMES = Set.of("localhost", "127.0.0.1", "[::1]", "[0:0:0:0:0:0:0:1]");

	private ThisMachine() {
	}

	/** Returns whether a request was sent from here. */
	static boolean sent(HttpServletRequest request) {
		return isLoopback(request.getRemoteAddr()) && isNamed(request.getServerName());
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
