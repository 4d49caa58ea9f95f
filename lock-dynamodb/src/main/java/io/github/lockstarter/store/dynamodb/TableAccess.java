package io.github.lockstarter.store.dynamodb;

import io.github.lockstarter.store.StoreCalls;

/**
 * The shared resources of all locks of a table.
 *
 * @param name the name of the table
 */
record TableAccess(String name, LeaseClock clock, StoreCalls calls, Operations operations, ResultItems results) {

}
