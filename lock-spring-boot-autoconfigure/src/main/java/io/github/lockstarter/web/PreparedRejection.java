package io.github.lockstarter.web;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The body of a response to a conflict, as written by the message converters of the
 * application for an earlier request. Only the path and the retry delay differ between
 * responses; the rest is kept as bytes.
 */
public final class PreparedRejection {

	private static final Pattern INSTANCE = Pattern.compile("\"instance\"\\s*:\\s*\"([^\"]*)\"");

	private static final Pattern RETRY_AFTER = Pattern.compile("\"retryAfterMillis\"\\s*:\\s*\"?(\\d+)");

	/** Characters that every JSON writer leaves unescaped. */
	private static final Pattern PLAIN_PATH = Pattern.compile("[A-Za-z0-9/._~%:@!$*()+,-]*");

	private final String contentType;

	private final byte[] start;

	private final byte[] middle;

	private final byte[] end;

	private final boolean instanceFirst;

	private PreparedRejection(String contentType, byte[] start, byte[] middle, byte[] end, boolean instanceFirst) {
		this.contentType = contentType;
		this.start = start;
		this.middle = middle;
		this.end = end;
		this.instanceFirst = instanceFirst;
	}

	/**
	 * Prepares responses from one that has been written.
	 * @param body the body of that response
	 * @param path the path of its request
	 * @param retryAfterMillis the retry delay of that response
	 * @return the prepared response; {@code null} if the body is not JSON, or has an
	 * unexpected structure
	 */
	public static @Nullable PreparedRejection of(@Nullable String contentType, byte[] body, String path,
			long retryAfterMillis) {
		// One character for each byte, in any encoding of the body.
		String text = new String(body, StandardCharsets.ISO_8859_1);
		MatchResult instance = only(INSTANCE.matcher(text));
		MatchResult retryAfter = only(RETRY_AFTER.matcher(text));
		if (contentType == null || instance == null || retryAfter == null || !instance.group(1).equals(path)
				|| !retryAfter.group(1).equals(Long.toString(retryAfterMillis))) {
			return null;
		}
		boolean instanceFirst = instance.start() < retryAfter.start();
		MatchResult first = instanceFirst ? instance : retryAfter;
		MatchResult second = instanceFirst ? retryAfter : instance;
		return new PreparedRejection(contentType, bytes(text.substring(0, first.start(1))),
				bytes(text.substring(first.end(1), second.start(1))), bytes(text.substring(second.end(1))),
				instanceFirst);
	}

	private static @Nullable MatchResult only(Matcher matcher) {
		if (!matcher.find()) {
			return null;
		}
		MatchResult match = matcher.toMatchResult();
		return matcher.find() ? null : match;
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.ISO_8859_1);
	}

	/** Returns whether both differ only in the path and the delay. */
	boolean isSameAs(PreparedRejection other) {
		return this.contentType.equals(other.contentType) && this.instanceFirst == other.instanceFirst
				&& Arrays.equals(this.start, other.start) && Arrays.equals(this.middle, other.middle)
				&& Arrays.equals(this.end, other.end);
	}

	/** Returns the type of the body. */
	public String contentType() {
		return this.contentType;
	}

	/**
	 * Returns the body for a request.
	 * @return the body; {@code null} if the path has characters that may need escaping,
	 * or ends with a file extension
	 */
	public byte @Nullable [] body(String path, long retryAfterMillis) {
		if (!PLAIN_PATH.matcher(path).matches() || mayHaveExtension(path)) {
			return null;
		}
		byte[] instance = bytes(path);
		byte[] retryAfter = bytes(Long.toString(retryAfterMillis));
		ByteArrayOutputStream body = new ByteArrayOutputStream(
				this.start.length + this.middle.length + this.end.length + instance.length + retryAfter.length);
		body.writeBytes(this.start);
		body.writeBytes(this.instanceFirst ? instance : retryAfter);
		body.writeBytes(this.middle);
		body.writeBytes(this.instanceFirst ? retryAfter : instance);
		body.writeBytes(this.end);
		return body.toByteArray();
	}

	/**
	 * For some extensions, Spring MVC adds a header so that browsers do not execute the
	 * response.
	 */
	private static boolean mayHaveExtension(String path) {
		int segment = path.lastIndexOf('/') + 1;
		return path.indexOf('.', segment) >= 0 || path.indexOf('%', segment) >= 0;
	}

}
