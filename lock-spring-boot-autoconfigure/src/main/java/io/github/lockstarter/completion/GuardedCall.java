package io.github.lockstarter.completion;

import org.jspecify.annotations.Nullable;

/**
 * The parts of a call, of an annotated method or of work in code, on which the end of its
 * work depends.
 */
public interface GuardedCall {

	/** Returns the type of what the call returns. */
	ReturnType returnType();

	/**
	 * Returns the request, if a web framework calls the method as its handler and
	 * processes the result; otherwise {@code null}.
	 */
	@Nullable HandledRequest request();

}
