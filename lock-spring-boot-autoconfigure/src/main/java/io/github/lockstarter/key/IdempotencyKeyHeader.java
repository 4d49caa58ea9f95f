package io.github.lockstarter.key;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

import io.github.lockstarter.InvalidIdempotencyKeyException;
import io.github.lockstarter.InvalidIdempotencyKeyException.Reason;

/**
 * Reads the {@code Idempotency-Key} header: a string as in RFC 8941 (section 3.3.3),
 * according to draft-ietf-httpapi-idempotency-key-header-07. Most clients send a bare
 * UUID instead, so a single word without quotes is the same key as the word in quotes.
 *
 * @param lockName the name of the lock that the key is for
 * @param maxLength the largest number of characters of a key
 */
public record IdempotencyKeyHeader(String lockName, int maxLength) {

	/** The name of the header. */
	public static final String NAME = "Idempotency-Key";

	/** Characters of a quoted string, a list, or parameters. */
	private static final String NOT_BARE = "\"\\,;";

	/**
	 * Returns the key.
	 * @param lines the values of all headers of that name
	 * @return the key; {@code null} if there is no such header
	 * @throws InvalidIdempotencyKeyException if they are not a valid key
	 */
	@Nullable String read(List<String> lines) {
		if (lines.isEmpty()) {
			return null;
		}
		if (lines.size() > 1) {
			throw invalid(Reason.REPEATED);
		}
		String line = trimmed(lines.get(0));
		// In quotes, each character may be escaped.
		if (line.length() > 2L * this.maxLength + 2) {
			throw invalid(Reason.TOO_LONG);
		}
		String key = line.startsWith("\"") ? unquoted(line) : bare(line);
		if (!StringUtils.hasText(key)) {
			throw invalid(Reason.EMPTY);
		}
		if (key.length() > this.maxLength) {
			throw invalid(Reason.TOO_LONG);
		}
		return key;
	}

	/** Removes the whitespace that HTTP allows around a value. */
	private static String trimmed(String line) {
		int begin = 0;
		int end = line.length();
		while (begin < end && isSpace(line.charAt(begin))) {
			begin++;
		}
		while (begin < end && isSpace(line.charAt(end - 1))) {
			end--;
		}
		return line.substring(begin, end);
	}

	private static boolean isSpace(char character) {
		return character == ' ' || character == '\t';
	}

	private String unquoted(String line) {
		StringBuilder key = new StringBuilder(line.length());
		for (int i = 1; i < line.length(); i++) {
			char next = line.charAt(i);
			if (next == '"') {
				if (i != line.length() - 1) {
					throw invalid(Reason.MALFORMED);
				}
				return key.toString();
			}
			if (next == '\\') {
				i++;
				next = (i < line.length()) ? line.charAt(i) : 0;
				if (next != '"' && next != '\\') {
					throw invalid(Reason.MALFORMED);
				}
			}
			else if (next != ' ' && !isVisible(next)) {
				throw invalid(Reason.MALFORMED);
			}
			key.append(next);
		}
		throw invalid(Reason.MALFORMED);
	}

	private String bare(String line) {
		if (!line.chars().allMatch((next) -> isVisible(next) && NOT_BARE.indexOf(next) < 0)) {
			throw invalid(Reason.MALFORMED);
		}
		return line;
	}

	/** Returns whether it is a visible character of ASCII. */
	private static boolean isVisible(int character) {
		return character > ' ' && character < 127;
	}

	private InvalidIdempotencyKeyException invalid(Reason reason) {
		return new InvalidIdempotencyKeyException(this.lockName, reason);
	}

}
