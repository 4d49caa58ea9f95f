package io.github.lockstarter.web.servlet;

import java.util.List;

import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import org.jspecify.annotations.Nullable;

/**
 * The wrappers of a response, which filters have put around it.
 */
final class ResponseWrappers {

	/** The packages of wrappers whose filters take part in asynchronous dispatches. */
	private static final List<String> KNOWN = List.of("org.springframework.security.", "org.springframework.session.",
			ResponseWrappers.class.getPackageName() + ".");

	private ResponseWrappers() {
	}

	/**
	 * Returns whether the response may be written in a later dispatch. The filter of an
	 * unknown wrapper, such as one that buffers or signs the body, may end the response
	 * with the first dispatch.
	 */
	static boolean allowDispatches(@Nullable ServletResponse response) {
		ServletResponse each = response;
		while (each instanceof ServletResponseWrapper wrapper) {
			if (KNOWN.stream().noneMatch(wrapper.getClass().getName()::startsWith)) {
				return false;
			}
			each = wrapper.getResponse();
		}
		return true;
	}

}
