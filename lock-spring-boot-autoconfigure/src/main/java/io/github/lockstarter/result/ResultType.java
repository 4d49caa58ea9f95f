package io.github.lockstarter.result;

import org.springframework.core.ResolvableType;

/**
 * The declared type of a shared result.
 *
 * @param owner the class of the bean
 * @param type the type of the value that the work of a method ends with
 * @param many whether the work ends with any number of such values
 * @param view whether the value names a view, so that only a redirect can be shared
 */
public record ResultType(Class<?> owner, ResolvableType type, boolean many, boolean view) {

	/** Creates the type of a value that does not name a view. */
	public ResultType(Class<?> owner, ResolvableType type, boolean many) {
		this(owner, type, many, false);
	}

}
