package io.github.lockstarter.result;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * The status of a response, and those of its headers that describe its content. All other
 * headers are for one request only.
 *
 * @param status the status; {@code null} if none was set
 * @param headers the values of the headers that have any
 */
public record ResponseHead(@Nullable Integer status, Map<String, List<String>> headers) {

	/** A head without status and headers. */
	public static final ResponseHead EMPTY = new ResponseHead(null, Map.of());

	private static final List<String> KEPT = List.of(HttpHeaders.LOCATION, HttpHeaders.ETAG, HttpHeaders.LINK,
			HttpHeaders.CONTENT_TYPE, HttpHeaders.CONTENT_ENCODING, HttpHeaders.CONTENT_DISPOSITION,
			HttpHeaders.CONTENT_LANGUAGE, HttpHeaders.CACHE_CONTROL, HttpHeaders.VARY, "Content-Security-Policy",
			"X-Content-Type-Options");

	/**
	 * Returns the head of a response.
	 * @param status the status; {@code null} if none was set
	 * @param headers returns the values of a header; {@code null} or an empty list if it
	 * was not set
	 */
	public static ResponseHead of(@Nullable Integer status, Function<String, @Nullable List<String>> headers) {
		Map<String, List<String>> kept = new LinkedHashMap<>();
		for (String name : KEPT) {
			List<String> values = headers.apply(name);
			if (values != null && !values.isEmpty()) {
				kept.put(name, List.copyOf(values));
			}
		}
		return new ResponseHead(status, kept);
	}

	/**
	 * Returns the same head without any headers that are not allowed: the content of the
	 * store cannot be trusted.
	 */
	ResponseHead checked() {
		return of(this.status, this.headers::get);
	}

}
