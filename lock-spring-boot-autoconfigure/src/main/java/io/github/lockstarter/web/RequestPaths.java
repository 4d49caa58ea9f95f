package io.github.lockstarter.web;

import java.util.stream.Collectors;

import org.springframework.http.server.PathContainer;
import org.springframework.http.server.PathContainer.PathSegment;

/**
 * The path of a request, in the one form that keys are made of.
 */
public final class RequestPaths {

	private RequestPaths() {
	}

	/**
	 * Returns the path however a client writes it: decoded, and without matrix
	 * parameters.
	 * @param path a path
	 * @return its one form
	 */
	public static String canonical(PathContainer path) {
		return path.elements()
			.stream()
			.map((element) -> (element instanceof PathSegment segment)
					? segment.valueToMatch().replace("%", "%25").replace("/", "%2F") : element.value())
			.collect(Collectors.joining());
	}

}
