package io.github.lockstarter.key;

import org.jspecify.annotations.Nullable;

/**
 * Computes the value of the key of a call, for keys that an expression cannot compute.
 * {@code @ExclusiveRequest(keyResolver = "…")} refers to a bean of this type by its name.
 */
@FunctionalInterface
public interface LockKeyResolver {

	/**
	 * Returns the value, which is converted to a key like that of an expression: a scalar
	 * to its text, any other value to the digest of its JSON. This method must not block:
	 * in Spring WebFlux the caller is an event loop.
	 * @param call the call, with its method, its arguments and its request
	 * @return the value; a call with a {@code null} or blank value is rejected with
	 * status 400
	 */
	@Nullable Object resolve(LockInvocation call);

}
