package io.github.lockstarter.autoconfigure;

import java.util.Locale;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * The part of an environment variable that names a lock, which can spell neither lower
 * case nor punctuation: {@code LOCK_NAMES_USER_REGISTRATION} fits the lock
 * {@code user-registration}. Its prefix distinguishes it from a name in a file.
 */
final class EnvironmentVariableName {

	private static final String PREFIX = "LOCK_NAMES_";

	private EnvironmentVariableName() {
	}

	/** Returns the variable for the elements after the given number of them. */
	static String of(ConfigurationPropertyName name, int from) {
		StringBuilder variable = new StringBuilder();
		for (int i = from; i < name.getNumberOfElements(); i++) {
			variable.append((i > from) ? "_" : "").append(name.getElement(i, Form.UNIFORM));
		}
		return of(variable.toString());
	}

	/** Returns the variable for a name of letters, digits and underscores. */
	static String of(String name) {
		return PREFIX + name.toUpperCase(Locale.ROOT);
	}

	/** Returns whether the name is a variable. */
	static boolean is(String name) {
		return name.startsWith(PREFIX);
	}

	/**
	 * Returns whether the variable names the lock: both have the same letters and digits,
	 * in any case.
	 */
	static boolean fits(String variable, String lockName) {
		int position = next(variable, PREFIX.length());
		int other = next(lockName, 0);
		while (position < variable.length() && other < lockName.length()) {
			if (Character.toLowerCase(variable.charAt(position)) != Character.toLowerCase(lockName.charAt(other))) {
				return false;
			}
			position = next(variable, position + 1);
			other = next(lockName, other + 1);
		}
		return position == variable.length() && other == lockName.length();
	}

	private static int next(String name, int from) {
		int position = from;
		while (position < name.length() && !Character.isLetterOrDigit(name.charAt(position))) {
			position++;
		}
		return position;
	}

}
