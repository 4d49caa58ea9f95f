package io.github.lockstarter.web;

import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The parameters of a form, read from its body.
 */
public final class FormParameters {

	/** More parameters than any form has, so that a body of small ones fits in memory. */
	private static final int MOST = 10_000;

	private FormParameters() {
	}

	/**
	 * Returns the parameters of a request: those of its query, and then those of a form.
	 * What is malformed in a form is taken as it is, so that it is compared.
	 * @param query the parameters of the query
	 * @param form the body of the request, {@code application/x-www-form-urlencoded}
	 * @param charset the charset of the form
	 * @return the parameters, with the values of a name in their order; {@code null} if
	 * there are more than 10,000
	 */
	public static @Nullable Map<String, List<String>> merge(Map<String, List<String>> query, byte[] form,
			Charset charset) {
		Map<String, List<String>> parameters = new LinkedHashMap<>();
		int separators = 0;
		for (byte each : form) {
			separators += (each == '&') ? 1 : 0;
		}
		if (separators >= MOST) {
			return null;
		}
		query.forEach((name, values) -> parameters.put(name, new ArrayList<>(values)));
		Stream.of(new String(form, charset).split("&")).filter((pair) -> !pair.isEmpty()).forEach((pair) -> {
			int end = pair.indexOf('=');
			String name = decoded((end >= 0) ? pair.substring(0, end) : pair, charset);
			String value = (end >= 0) ? decoded(pair.substring(end + 1), charset) : "";
			parameters.computeIfAbsent(name, (each) -> new ArrayList<>()).add(value);
		});
		return parameters;
	}

	private static String decoded(String text, Charset charset) {
		try {
			return URLDecoder.decode(text, charset);
		}
		catch (IllegalArgumentException ex) {
			return text;
		}
	}

}
