package io.github.lockstarter.web.servlet;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.server.ResponseStatusException;

import io.github.lockstarter.key.RequestContent;
import io.github.lockstarter.key.RequestContent.Body;
import io.github.lockstarter.web.RequestPaths;

/**
 * Reads what the client of a servlet request has sent.
 */
final class ServletContent {

	private ServletContent() {
	}

	/**
	 * Returns the content; {@code null} if the body is not recorded, so that reading it
	 * would take it from the handler.
	 */
	static @Nullable RequestContent of(HttpServletRequest request) {
		RecordedServletRequest recorded = RecordedServletRequest.of(request);
		if (recorded == null || recorded.isLost()) {
			return null;
		}
		RequestContent known = recorded.content();
		if (known == null) {
			known = read(request, recorded);
			recorded.keep(known);
		}
		return known;
	}

	private static RequestContent read(HttpServletRequest request, RecordedServletRequest recorded) {
		String type = request.getContentType();
		String kind = (type != null) ? type.toLowerCase(Locale.ROOT) : "";
		try {
			if (kind.startsWith(MediaType.APPLICATION_FORM_URLENCODED_VALUE)) {
				Map<String, List<String>> form = recorded.form();
				return new RequestContent(request.getMethod(), matrix(request), (form != null) ? form : Map.of(),
						(form != null) ? Body.EMPTY : Body.TOO_LARGE, List.of());
			}
			Map<String, List<String>> parameters = new LinkedHashMap<>();
			request.getParameterMap().forEach((name, values) -> parameters.put(name, List.of(values)));
			List<RequestContent.Part> parts = kind.startsWith("multipart/") ? parts(request) : List.of();
			Body body = parts.isEmpty() ? body(type, recorded.body()) : Body.EMPTY;
			return new RequestContent(request.getMethod(), matrix(request), parameters, body, parts);
		}
		catch (IOException ex) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "The request cannot be read", ex);
		}
	}

	/** The container identifies a session in a path by the name of its cookie. */
	private static Map<String, List<String>> matrix(HttpServletRequest request) {
		return RequestPaths.matrix(ServletCurrentRequest.path(request),
				request.getServletContext().getSessionCookieConfig().getName());
	}

	private static Body body(@Nullable String type, byte @Nullable [] bytes) {
		return (bytes != null) ? new Body(type, bytes) : Body.TOO_LARGE;
	}

	/** Returns no parts if the application does not read any. */
	private static List<RequestContent.Part> parts(HttpServletRequest request) throws IOException {
		List<RequestContent.Part> parts = new ArrayList<>();
		try {
			for (Part part : request.getParts()) {
				try (InputStream body = part.getInputStream()) {
					parts.add(RequestContent.Part.of(part.getName(), part.getSubmittedFileName(), part.getContentType(),
							body));
				}
			}
		}
		catch (IllegalStateException | ServletException ex) {
			return List.of();
		}
		return parts;
	}

}
