package io.github.lockstarter.result;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import io.github.lockstarter.result.ResultHead.ResultKind;
import io.github.lockstarter.result.SharedResult.Response;

/**
 * The text of a stored result: a line with its head, and a line with its content.
 *
 * @param head the head
 * @param content the JSON of a value, or the body of a response
 */
record ResultText(ResultHead head, String content) {

	private static final JsonMapper HEADS = JsonMapper.builder().build();

	private static final String NOTHING = "null";

	/**
	 * Parses a text.
	 * @throws RuntimeException if it is not one of a result
	 */
	static ResultText parse(String text) {
		int begin = text.indexOf('\n') + 1;
		if (begin == 0 || begin == text.length() || !text.endsWith("\n")) {
			throw new IllegalStateException("It has been truncated");
		}
		ResultHead head = HEADS.readValue(text.substring(0, begin - 1), ResultHead.class);
		return new ResultText(head, text.substring(begin, text.length() - 1));
	}

	/**
	 * Writes a result.
	 * @param content writes the content; without a line break, unless the head has the
	 * length
	 * @throws IllegalStateException if the limit of the output is exceeded
	 */
	static void write(ResultHead head, Consumer<BoundedOutput> content, BoundedOutput output) {
		output.write(HEADS.writeValueAsString(head) + '\n');
		content.accept(output);
		// A text without its end has been truncated.
		output.write("\n");
	}

	/**
	 * Writes a response. A body that is text is stored as it is, and needs no more space.
	 * @throws IllegalStateException if the limit of the output is exceeded
	 */
	static void write(String fingerprint, Response response, BoundedOutput output) {
		String binary = response.body();
		byte[] bytes = response.bytes();
		String text = (bytes != null) ? text(bytes) : NOTHING;
		ResultKind kind = (bytes == null) ? ResultKind.ERROR_PAGE
				: (text != null) ? ResultKind.TEXT : ResultKind.BINARY;
		Integer length = (bytes != null && text != null) ? text.length() : null;
		write(new ResultHead(kind, fingerprint, null, response.head(), response.reason(), length),
				(content) -> content.write((text != null) ? text : String.valueOf(binary)), output);
	}

	/**
	 * Returns the text that has the bytes in UTF-8; {@code null} if there is none, or not
	 * every store could keep it.
	 */
	private static @Nullable String text(byte[] bytes) {
		try {
			String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
			return text.chars().allMatch((each) -> each >= ' ' || each == '\n' || each == '\r' || each == '\t') ? text
					: null;
		}
		catch (CharacterCodingException ex) {
			return null;
		}
	}

	/** Returns the text that stands for a result that is not kept. */
	static String unavailable(String fingerprint) {
		BoundedOutput output = new BoundedOutput(Long.MAX_VALUE);
		write(new ResultHead(ResultKind.UNAVAILABLE, fingerprint, null, null, null, null),
				(content) -> content.write(NOTHING), output);
		return output.toString();
	}

	/**
	 * Returns the response.
	 * @throws RuntimeException if the text is not one of a response
	 */
	Response response() {
		ResponseHead of = this.head.head();
		if (of == null || of.status() == null) {
			throw new IllegalStateException("It has no status");
		}
		return switch (this.head.kind()) {
			case TEXT -> Response.withBody(of.checked(), wholeText().getBytes(StandardCharsets.UTF_8));
			case BINARY -> Response.withBody(of.checked(), Base64.getDecoder().decode(this.content));
			case ERROR_PAGE -> new Response(of.checked(), null, this.head.reason());
			case VALUE, UNAVAILABLE -> throw new IllegalStateException("It is no response");
		};
	}

	/** The end of a line within the text looks like the end of the result. */
	private String wholeText() {
		Integer length = this.head.length();
		if (length == null || length != this.content.length()) {
			throw new IllegalStateException("It has been truncated");
		}
		return this.content;
	}

}
