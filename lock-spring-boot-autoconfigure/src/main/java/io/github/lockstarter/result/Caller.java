package io.github.lockstarter.result;

/**
 * Distinguishes callers with the same key.
 *
 * @param principal the name of the principal; empty if it is unknown, or is not compared
 * @param arguments a digest of the arguments; empty if they are not compared
 */
public record Caller(String principal, String arguments) {

	/** All callers, with any arguments. */
	public static final Caller ANY = new Caller("", "");

}
