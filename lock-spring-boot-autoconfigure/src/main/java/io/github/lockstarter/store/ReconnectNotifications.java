package io.github.lockstarter.store;

/**
 * What a {@link LockStore} implements, too, if it can tell that it was out of reach and
 * is back, by when it may have forgotten its locks.
 */
public interface ReconnectNotifications {

	/**
	 * Runs the action each time the store has been reached anew.
	 * @param action what to do; must not block
	 */
	void onReconnect(Runnable action);

}
