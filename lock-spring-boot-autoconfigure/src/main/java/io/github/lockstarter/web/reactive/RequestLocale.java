package io.github.lockstarter.web.reactive;

import java.util.Locale;

import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.http.HttpHeaders;
import org.springframework.web.server.ServerWebExchange;

/**
 * The locale of the response to a request.
 */
final class RequestLocale {

	/** A browser sends less than a hundred characters. */
	private static final int LONGEST_HEADER = 500;

	private RequestLocale() {
	}

	/**
	 * Returns the locale of the request. It is the default locale if the request asks for
	 * very many languages, because the time to parse them grows with the square of their
	 * number.
	 */
	static Locale of(ServerWebExchange exchange) {
		int length = exchange.getRequest()
			.getHeaders()
			.getOrEmpty(HttpHeaders.ACCEPT_LANGUAGE)
			.stream()
			.mapToInt(String::length)
			.sum();
		return (length > LONGEST_HEADER) ? Locale.getDefault()
				: LocaleContextHolder.getLocale(exchange.getLocaleContext());
	}

}
