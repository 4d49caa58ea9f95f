package io.github.lockstarter.recipes;

/**
 * The accounts that {@link SignupController} opens.
 */
interface Accounts {

	/** Opens an account and returns its number. */
	long open(String userName);

}
