package io.github.lockstarter.completion;

/** What ends the lock of a handler method. */
public enum ReleaseOn {

	/** The end of its work. */
	METHOD,

	/** The end of its response. */
	RESPONSE

}
