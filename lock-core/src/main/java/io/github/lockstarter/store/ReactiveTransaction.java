package io.github.lockstarter.store;

import org.jspecify.annotations.Nullable;

/**
 * A transaction of the application that does not belong to a thread.
 *
 * @param connection the connection of the transaction, as its driver knows it
 * @param isolation the isolation level that the application has asked for, as a number of
 * JDBC; {@code null} for the default of the connection
 */
public record ReactiveTransaction(Object connection, @Nullable Integer isolation) {

}
