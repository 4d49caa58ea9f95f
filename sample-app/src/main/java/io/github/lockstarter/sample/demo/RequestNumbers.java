package io.github.lockstarter.sample.demo;

import org.springframework.http.HttpHeaders;

/**
 * The numbers that the page sends in the headers of a request.
 *
 * @param request the number of the request
 * @param slowdown how many times as long as usual its work takes
 */
record RequestNumbers(int request, int slowdown) {

	static final String REQUEST = "Request-Number";

	static final String SLOWDOWN = "Slowdown";

	static final int MAX_SLOWDOWN = 6;

	static RequestNumbers of(HttpHeaders headers) {
		return new RequestNumbers(number(headers, REQUEST), Math.min(number(headers, SLOWDOWN), MAX_SLOWDOWN));
	}

	private static int number(HttpHeaders headers, String name) {
		String value = headers.getFirst(name);
		return (value != null && value.matches("\\d{1,4}")) ? Integer.parseInt(value) : 1;
	}

}
