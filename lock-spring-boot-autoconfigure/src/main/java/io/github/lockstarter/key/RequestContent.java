package io.github.lockstarter.key;

import java.io.IOException;
import java.io.InputStream;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.util.StreamUtils;

/**
 * What the client of a request has sent, except for its headers.
 *
 * @param method the HTTP method
 * @param matrix the parameters of the segments of the path, by segment and name
 * @param parameters the parameters of the query, and those of a form if its body is one
 * @param body the body; empty if the parameters or the parts contain it
 * @param parts the parts of a multipart body
 */
public record RequestContent(String method, Map<String, List<String>> matrix, Map<String, List<String>> parameters,
		Body body, List<Part> parts) {

	/** A body. */
	public static final class Body {

		/** No body. */
		public static final Body EMPTY = new Body(null, new byte[0]);

		/** A body that is too large to be compared. */
		public static final Body TOO_LARGE = new Body(null, new byte[0]);

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
	 * A part of a multipart body, which may be large: its bytes are not kept.
	 *
	 * @param name the name of the part
	 * @param fileName the name of the file, if it is one
	 * @param contentType its media type, if it has one
	 * @param digest a digest of its bytes
	 */
	public record Part(String name, @Nullable String fileName, @Nullable String contentType, String digest) {

		/**
		 * Returns the part with these bytes.
		 * @throws IOException if they cannot be read
		 */
		public static Part of(String name, @Nullable String fileName, @Nullable String contentType, InputStream bytes)
				throws IOException {
			try {
				MessageDigest digest = MessageDigest.getInstance("SHA-256");
				StreamUtils.drain(new DigestInputStream(bytes, digest));
				return new Part(name, fileName, contentType, HexFormat.of().formatHex(digest.digest()));
			}
			catch (NoSuchAlgorithmException ex) {
				throw new IllegalStateException("Every Java platform has SHA-256", ex);
			}
		}

	}

}
