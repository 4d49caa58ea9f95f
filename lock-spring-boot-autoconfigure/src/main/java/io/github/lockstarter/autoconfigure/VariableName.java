package io.github.lockstarter.autoconfigure;

import java.util.Locale;
import java.util.regex.Pattern;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * The name of a lock in an environment variable, which can spell neither lower case nor
 * punctuation: {@code USER_REGISTRATION} fits the lock {@code user-registration}.
 */
final class VariableName {

	private static final Pattern VARIABLE = Pattern.compile("[A-Z0-9_]*[A-Z][A-Z0-9_]*");

	private VariableName() {
	}

	/** Returns the name in a variable for the elements after the given number of them. */
	static String of(ConfigurationPropertyName name, int from) {
		StringBuilder variable = new StringBuilder();
		for (int i = from; i < name.getNumberOfElements(); i++) {
			variable.append((i > from) ? "_" : "").append(name.getElement(i, Form.UNIFORM));
		}
		return variable.toString().toUpperCase(Locale.ROOT);
	}

	/** Returns whether the name is written as in a variable. */
	static boolean is(String name) {
		return VARIABLE.matcher(name).matches();
	}

	/** Returns whether both names have the same letters and digits, in any case. */
	static boolean fits(String variable, String lockName) {
		int position = next(variable, 0);
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
