package io.github.lockstarter.key;

import org.jspecify.annotations.Nullable;

/**
 * Returns the value of the key of a call, where an expression is too little. A bean of
 * this type is named in {@code @ExclusiveRequest(keyResolver = "…")}.
 */
@FunctionalInterface
public interface LockKeyResolver {

	/**
	 * Returns the value, which becomes a key like that of an expression: a scalar by its
	 * text, everything else by the digest of its JSON. It must not block: in Spring
	 * WebFlux the caller is an event loop.
	 * @param call the call: its method and arguments, and the parts of its request
	 * @return the value; a call without one, or with a blank one, is refused with 400
	 */
	@Nullable Object resolve(LockInvocation call);

}
