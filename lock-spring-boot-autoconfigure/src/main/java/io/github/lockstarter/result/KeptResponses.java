package io.github.lockstarter.result;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import org.springframework.util.Assert;

/**
 * Selects the responses to requests that are kept for later duplicates. After all other
 * responses, a duplicate runs.
 *
 * @param values whether the returned value decides, and a failure is never kept
 * @param statuses the statuses that are kept, each of three digits, of which the last two
 * may be {@code xx}; unused for {@code values}
 */
public record KeptResponses(boolean values, List<String> statuses) {

	/** Values that a method returns, if a {@link ResultPredicate} allows it. */
	public static final KeptResponses VALUES = new KeptResponses(true, List.of());

	/** All responses, including failures. */
	public static final KeptResponses ALL = new KeptResponses(false, List.of("1xx", "2xx", "3xx", "4xx", "5xx"));

	/**
	 * Parses a text.
	 * @param text {@code values}, {@code all}, or a list of statuses separated by commas,
	 * as in {@code 2xx, 402}
	 * @throws IllegalArgumentException if it is none of these
	 */
	public static KeptResponses parse(String text) {
		String wanted = text.strip().toLowerCase(Locale.ROOT);
		if (wanted.equals("values")) {
			return VALUES;
		}
		if (wanted.equals("all")) {
			return ALL;
		}
		List<String> statuses = Arrays.stream(wanted.split(",", -1)).map(String::strip).toList();
		statuses.forEach((status) -> Assert.isTrue(status.matches("[1-5](\\d\\d|xx)"),
				"'%s' is neither 'values', 'all', nor a list of statuses such as '2xx, 402'".formatted(text)));
		return new KeptResponses(false, statuses);
	}

	/** Returns a description for clients. */
	public String description() {
		if (this.values) {
			return "Only successful responses are repeated.";
		}
		return equals(ALL) ? "All responses are repeated, including those to failures."
				: "Responses with other statuses than %s are not repeated.".formatted(String.join(", ", this.statuses));
	}

	/** Returns whether a response with the status is kept. */
	boolean contain(int status) {
		return this.statuses.stream()
			.anyMatch((each) -> each.endsWith("xx") ? each.charAt(0) - '0' == status / 100
					: each.equals(Integer.toString(status)));
	}

}
