package io.github.lockstarter.web;

import java.util.stream.Collectors;

import org.springframework.http.server.PathContainer;
import org.springframework.http.server.PathContainer.PathSegment;

/**
 * The path of a request in canonical form, for keys.
 */
public final class RequestPaths {

	private RequestPaths() {
	}

	/**
	 * Returns the canonical form of a path: decoded, and without matrix parameters.
	 * @param path a path
	 * @return its canonical form
	 */
	public static String canonical(PathContainer path) {
		return path.elements()
			.stream()
			.map((element) -> (element instanceof PathSegment segment)
					? segment.valueToMatch().replace("%", "%25").replace("/", "%2F") : element.value())
			.collect(Collectors.joining());
	}

}
