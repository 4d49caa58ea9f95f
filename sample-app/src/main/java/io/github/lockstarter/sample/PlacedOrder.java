package io.github.lockstarter.sample;

import java.util.UUID;

/**
 * An order that was placed.
 *
 * @param orderId the unique identifier of the order
 * @param item the ordered item
 * @param quantity the number of items
 */
record PlacedOrder(UUID orderId, String item, int quantity) {

}
