package io.github.lockstarter.web;

import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The parameters of a form, read from its body.
 *
 * @param all the parameters, with the values of a name in their order
 * @param isMalformed whether a part of the form cannot be decoded, and is in the
 * parameters as it was sent
 */
public record FormParameters(Map<String, List<String>> all, boolean isMalformed) {

	/** More parameters than any form has, so that a body of small ones fits in memory. */
	private static final int MOST = 10_000;

	/**
	 * Returns the parameters of a request: those of its query, and then those of a form.
	 * @param query the parameters of the query
	 * @param form the body of the request, {@code application/x-www-form-urlencoded}
	 * @param charset the charset of the form
	 * @return the parameters; {@code null} if there are more than 10,000
	 */
	public static @Nullable FormParameters of(Map<String, List<String>> query, byte[] form, Charset charset) {
		String[] pairs = new String(form, charset).split("&", MOST + 1);
		if (pairs.length > MOST) {
			return null;
		}
		Map<String, List<String>> all = new LinkedHashMap<>();
		query.forEach((name, values) -> all.put(name, new ArrayList<>(values)));
		boolean malformed = false;
		for (String pair : pairs) {
			if (!pair.isEmpty()) {
				int end = pair.indexOf('=');
				String name = (end >= 0) ? pair.substring(0, end) : pair;
				String value = (end >= 0) ? pair.substring(end + 1) : "";
				try {
					name = URLDecoder.decode(name, charset);
					value = URLDecoder.decode(value, charset);
				}
				catch (IllegalArgumentException ex) {
					malformed = true;
				}
				all.computeIfAbsent(name, (each) -> new ArrayList<>()).add(value);
			}
		}
		return new FormParameters(all, malformed);
	}

}
