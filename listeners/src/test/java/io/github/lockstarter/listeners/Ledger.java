package io.github.lockstarter.listeners;

/**
 * The work of the listeners.
 */
interface Ledger {

	void book(Payment payment);

}
