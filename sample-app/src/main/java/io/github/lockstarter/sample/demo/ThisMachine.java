package io.github.lockstarter.sample.demo;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Set;

import jakarta.servlet.http.HttpServletRequest;

/**
 * The machine of this instance: an instance is killed only there, and only for its own
 * callers.
 */
final class ThisMachine {

	private static final Set<String> NAMES = Set.of("localhost", "127.0.0.1", "[::1]", "[0:0:0:0:0:0:0:1]");

	private ThisMachine() {
	}

	/** Returns whether a request was sent from here. */
	static boolean sent(HttpServletRequest request) {
		try {
			return InetAddress.getByName(request.getRemoteAddr()).isLoopbackAddress();
		}
		catch (UnknownHostException ex) {
			return false;
		}
	}

	/** Returns whether an instance responds at a loopback address. */
	static boolean runs(Instance instance) {
		String host = URI.create(instance.url()).getHost();
		return host != null && NAMES.contains(host);
	}

}
