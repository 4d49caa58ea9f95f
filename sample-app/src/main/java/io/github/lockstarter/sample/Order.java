package io.github.lockstarter.sample;

import org.springframework.util.Assert;

/**
 * What a customer wants.
 *
 * @param item what
 * @param quantity how many of it
 */
record Order(String item, int quantity) {

	Order {
		Assert.hasText(item, "An order must name an item");
		Assert.isTrue(quantity > 0, "An order must be for at least one");
	}

}
