package io.github.lockstarter.sample;

import org.springframework.util.Assert;

/**
 * An order of a customer.
 *
 * @param item the ordered item
 * @param quantity the number of items
 */
record Order(String item, int quantity) {

	Order {
		Assert.hasText(item, "An order must name an item");
		Assert.isTrue(quantity > 0, "An order must be for at least one");
	}

}
