package io.github.lockstarter.result;

import org.springframework.core.ResolvableType;

/**
 * The declared type of a shared result.
 *
 * @param owner the class of the bean
 * @param type the type of the value that the work of a method ends with
 * @param many whether the work ends with any number of such values
 * @param ofHandler whether a web framework writes the value as the response to a request,
 * so that the response is shared instead
 * @param complete whether the value has all that a caller receives, and is not only the
 * name of a view
 */
public record ResultType(Class<?> owner, ResolvableType type, boolean many, boolean ofHandler, boolean complete) {

	/** Creates the type of a value that is shared itself. */
	public ResultType(Class<?> owner, ResolvableType type, boolean many) {
		this(owner, type, many, false, true);
	}

}
