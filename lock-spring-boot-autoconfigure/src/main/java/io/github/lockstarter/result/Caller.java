package io.github.lockstarter.result;

/**
 * What tells callers with the same key apart.
 *
 * @param principal who calls; empty if nobody knows, or it does not matter
 * @param arguments a digest of the arguments; empty if they do not matter
 */
public record Caller(String principal, String arguments) {

	/** Anybody, with whatever arguments. */
	public static final Caller ANY = new Caller("", "");

}
