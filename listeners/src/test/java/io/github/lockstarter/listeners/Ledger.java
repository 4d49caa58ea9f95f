package io.github.lockstarter.listeners;

/**
 * The bookings that the listeners make.
 */
interface Ledger {

	void book(Payment payment);

}
