package io.github.lockstarter.key;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What the client of a request has sent, except for its headers.
 *
 * @param method the HTTP method
 * @param parameters the parameters of the query, and those of a form if its body is one
 * @param contentType the media type of the body; {@code null} without a body
 * @param body the body; empty if the parameters or the parts contain it
 * @param parts the parts of a multipart body
 */
public record RequestContent(String method, Map<String, List<String>> parameters, @Nullable String contentType,
		byte[] body, List<Part> parts) {

	/**
	 * A part of a multipart body.
	 *
	 * @param name the name of the part
	 * @param fileName the name of the file, if it is one
	 * @param contentType the media type of the part, if it has one
	 * @param body the body of the part
	 */
	public record Part(String name, @Nullable String fileName, @Nullable String contentType, byte[] body) {
	}

}
