package io.github.lockstarter.web;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Locations of the application itself. Their host is that of the request, which its
 * client chooses, so they are stored for other clients without it.
 */
public final class RelativeLocations {

	/**
	 * Scheme, authority without a user, and the rest; whatever characters the rest has.
	 */
	private static final Pattern ABSOLUTE = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://(?:[^/?#@]*@)?([^/?#]*)(.*)");

	private RelativeLocations() {
	}

	/**
	 * Returns the location relative to the host.
	 * @param scheme the scheme of the request
	 * @param host the host of the request
	 * @param port the port of the request; not positive for that of the scheme
	 * @return the path, query and fragment; the location itself if it is of another
	 * origin
	 */
	public static String relative(String location, @Nullable String scheme, @Nullable String host, int port) {
		Matcher parts = ABSOLUTE.matcher(location);
		if (scheme == null || host == null || !parts.matches()
				|| !origin(parts.group(1), parts.group(2), 0).equals(origin(scheme, host, port))) {
			return location;
		}
		String rest = parts.group(3);
		return rest.startsWith("/") ? rest : '/' + rest;
	}

	/** Returns the origin with its port. */
	private static String origin(String scheme, String authority, int port) {
		String lower = scheme.toLowerCase(Locale.ROOT);
		String host = authority.toLowerCase(Locale.ROOT);
		boolean hasPort = host.matches(".*:\\d+");
		int standard = lower.equals("https") ? 443 : 80;
		return lower + "://" + (hasPort ? host : host + ':' + ((port > 0) ? port : standard));
	}

}
