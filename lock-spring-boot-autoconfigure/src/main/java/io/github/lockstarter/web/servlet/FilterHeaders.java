package io.github.lockstarter.web.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * The headers and the character encoding that a filter has set before its request was
 * suspended, and that Spring MVC removes when a handler throws: the exception of a
 * suspension is one for it.
 *
 * @param contentType the {@code Content-Type}
 * @param encoding the character encoding, which has a default
 * @param disposition the {@code Content-Disposition}
 */
record FilterHeaders(@Nullable String contentType, String encoding, @Nullable String disposition) {

	private static final String ATTRIBUTE = FilterHeaders.class.getName();

	/** Keeps the headers until the request is dispatched again. */
	static void keep(HttpServletRequest request, HttpServletResponse response) {
		request.setAttribute(ATTRIBUTE, new FilterHeaders(response.getContentType(), response.getCharacterEncoding(),
				response.getHeader(HttpHeaders.CONTENT_DISPOSITION)));
	}

	/** Sets them again, unless a filter has. */
	static void restore(HttpServletRequest request, HttpServletResponse response) {
		if (request.getAttribute(ATTRIBUTE) instanceof FilterHeaders headers) {
			request.removeAttribute(ATTRIBUTE);
			if (headers.contentType != null && response.getContentType() == null) {
				response.setContentType(headers.contentType);
			}
			if (!headers.encoding.equals(response.getCharacterEncoding())) {
				response.setCharacterEncoding(headers.encoding);
			}
			if (headers.disposition != null && response.getHeader(HttpHeaders.CONTENT_DISPOSITION) == null) {
				response.setHeader(HttpHeaders.CONTENT_DISPOSITION, headers.disposition);
			}
		}
	}

}
