package io.github.lockstarter.web;

import java.util.List;

import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.util.InvalidMimeTypeException;
import org.springframework.util.MimeTypeUtils;

/**
 * Tells browsers from programs by what they accept.
 */
public final class AcceptHeader {

	private AcceptHeader() {
	}

	/**
	 * Returns whether HTML is wanted more than JSON. Who does not say, or says it in a
	 * way that cannot be understood, is a program.
	 * @param values the values of the header, none if it is missing
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
