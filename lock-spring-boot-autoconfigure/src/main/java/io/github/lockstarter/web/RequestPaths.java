package io.github.lockstarter.web;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.http.server.PathContainer.PathSegment;

/**
 * The path of a request in canonical form.
 */
public final class RequestPaths {

	private static final String SESSION = "jsessionid";

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

	/**
	 * Returns the matrix parameters of a path, except for the identifier of a session.
	 * @param path a path
	 * @param session another name for the identifier of a session, if it has one
	 * @return the values by the number of the segment and the name
	 */
	public static Map<String, List<String>> matrix(PathContainer path, @Nullable String session) {
		Map<String, List<String>> matrix = new LinkedHashMap<>();
		for (int i = 0; i < path.elements().size(); i++) {
			if (path.elements().get(i) instanceof PathSegment segment) {
				String position = i + ";";
				segment.parameters().forEach((name, values) -> {
					if (!name.equalsIgnoreCase(SESSION) && !name.equalsIgnoreCase(session)) {
						matrix.put(position + name, List.copyOf(values));
					}
				});
			}
		}
		return matrix;
	}

}
