package io.github.lockstarter.web;

import java.util.List;

import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.util.InvalidMimeTypeException;
import org.springframework.util.MimeTypeUtils;

/**
 * Distinguishes browsers from programs by the {@code Accept} header.
 */
public final class AcceptHeader {

	private AcceptHeader() {
	}

	/**
	 * Returns whether the client prefers HTML to JSON. A client without the header, or
	 * with an invalid one, is treated as a program.
	 * @param values the values of the header; empty if it is missing
	 */
	public static boolean prefersHtml(List<String> values) {
		for (MediaType accepted : bySpecificity(values)) {
			if (accepted.includes(MediaType.APPLICATION_PROBLEM_JSON)
					|| accepted.includes(MediaType.APPLICATION_JSON)) {
				return false;
			}
			if (accepted.includes(MediaType.TEXT_HTML)) {
				return true;
			}
		}
		return false;
	}

	private static List<MediaType> bySpecificity(List<String> values) {
		try {
			List<MediaType> accepted = MediaType.parseMediaTypes(values);
			MimeTypeUtils.sortBySpecificity(accepted);
			return accepted;
		}
		catch (InvalidMediaTypeException | InvalidMimeTypeException ex) {
			return List.of();
		}
	}

}
