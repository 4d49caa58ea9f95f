package io.github.lockstarter.recipes;

import java.util.Iterator;

/**
 * The products that {@link ImportController} imports.
 */
interface Catalog {

	/** Opens the products that a supplier offers to a tenant. */
	Feed open(String tenant);

	/** Saves a product of a tenant. */
	void save(String tenant, String product);

	/** Products, which may take their time. */
	interface Feed extends Iterator<String>, AutoCloseable {

		/** Ends a call that waits for a product: there is no next one. */
		void cancel();

		@Override
		void close();

	}

}
