package io.github.lockstarter.recipes;

/**
 * The ledger in which {@link EventBatchController} books payments.
 */
interface Ledger {

	/** Books a payment. */
	EventBatchController.Receipt book(EventBatchController.PaymentEvent event);

}
