package io.github.lockstarter.sample;

import java.util.UUID;

/**
 * An order that was placed.
 *
 * @param orderId tells it from other orders
 * @param item what
 * @param quantity how many of it
 */
record PlacedOrder(UUID orderId, String item, int quantity) {

}
