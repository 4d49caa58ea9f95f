package io.github.lockstarter.completion;

import org.jspecify.annotations.Nullable;

/**
 * A call of an annotated method, as far as the end of its work depends on it.
 */
public interface GuardedCall {

	/** Returns what the method returns. */
	ReturnType returnType();

	/**
	 * Returns the request that the method is called to handle, by a framework that works
	 * on its result; {@code null} if there is none.
	 */
	@Nullable HandledRequest request();

}
