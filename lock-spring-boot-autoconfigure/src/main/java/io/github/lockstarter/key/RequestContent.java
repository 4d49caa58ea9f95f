package io.github.lockstarter.key;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What the client of a request has sent, except for its headers.
 *
 * @param method the HTTP method
 * @param parameters the parameters of the query, and those of a form if its body is one
 * @param body the body; empty if the parameters or the parts contain it
 * @param parts the parts of a multipart body
 */
public record RequestContent(String method, Map<String, List<String>> parameters, Body body, List<Part> parts) {

	/** A body, or that of a part. */
	public static final class Body {

		/** No body. */
		public static final Body EMPTY = new Body(null, new byte[0]);

		private final @Nullable String contentType;

		private final byte[] bytes;

		/**
		 * Creates a body.
		 * @param contentType its media type, if it has one
		 * @param bytes its bytes, which are not changed later
		 */
		public Body(@Nullable String contentType, byte[] bytes) {
			this.contentType = contentType;
			this.bytes = bytes;
		}

		@Nullable String contentType() {
			return this.contentType;
		}

		byte[] bytes() {
			return this.bytes;
		}

	}

	/**
	 * A part of a multipart body.
	 *
	 * @param name the name of the part
	 * @param fileName the name of the file, if it is one
	 * @param body the body of the part
	 */
	public record Part(String name, @Nullable String fileName, Body body) {
	}

}
