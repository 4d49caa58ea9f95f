package io.github.lockstarter.web;

import java.net.URI;
import java.net.URISyntaxException;

import org.jspecify.annotations.Nullable;

/**
 * Locations of the application itself. Their host is that of the request, which its
 * client chooses, so they are stored for other clients without it.
 */
public final class OwnLocations {

	private OwnLocations() {
	}

	/**
	 * Returns the location relative to the host.
	 * @param host the host of the request
	 * @return the path, query and fragment; the location itself if it is of another host
	 */
	public static String relative(String location, @Nullable String host) {
		try {
			URI uri = new URI(location);
			if (uri.getHost() == null || !uri.getHost().equalsIgnoreCase(host)) {
				return location;
			}
			String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
			return path + ((uri.getRawQuery() != null) ? "?" + uri.getRawQuery() : "")
					+ ((uri.getRawFragment() != null) ? "#" + uri.getRawFragment() : "");
		}
		catch (URISyntaxException ex) {
			return location;
		}
	}

}
