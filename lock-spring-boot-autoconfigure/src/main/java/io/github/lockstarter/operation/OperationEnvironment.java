package io.github.lockstarter.operation;

import java.util.function.Supplier;

import io.github.lockstarter.key.LockKeyResolver;
import io.github.lockstarter.result.SharingSettings;

/**
 * What the annotations of an application are read with: the configuration and the beans
 * that they refer to. Nothing is looked up before the first annotation needs it.
 */
public interface OperationEnvironment {

	/** Returns the settings of the operator. */
	OperationSettings settings();

	/** Returns the settings of the results that are shared. */
	SharingSettings sharing();

	/**
	 * Finds a resolver by its name. The bean is created when the supplier is called.
	 * @throws IllegalArgumentException if there is no resolver with the name
	 */
	Supplier<LockKeyResolver> keyResolver(String name);

	/**
	 * Resolves the placeholders in an attribute of an annotation.
	 * @throws IllegalArgumentException if one has no value
	 */
	String resolvePlaceholders(String text);

}
