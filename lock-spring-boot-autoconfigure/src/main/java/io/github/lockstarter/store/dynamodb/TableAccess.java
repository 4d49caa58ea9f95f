package io.github.lockstarter.store.dynamodb;

import io.github.lockstarter.store.StoreCalls;

/**
 * What all locks of a table have in common.
 *
 * @param name the name of the table
 */
record TableAccess(String name, LeaseClock clock, StoreCalls calls, Requests requests, Results results) {

}
