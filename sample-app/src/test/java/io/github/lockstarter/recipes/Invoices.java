package io.github.lockstarter.recipes;

/**
 * The invoices that {@link WebhookController} is notified of.
 */
interface Invoices {

	/** Notes that an invoice is paid. */
	void paid(String invoice);

}
