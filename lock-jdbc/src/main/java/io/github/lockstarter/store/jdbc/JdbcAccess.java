package io.github.lockstarter.store.jdbc;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.store.StoreCalls;

/**
 * The shared resources of all locks of a database.
 *
 * @param transactions the transactions of the application; {@code null} if they use
 * another database
 * @param notifying the table of locks as one of a database that notifies waiters of
 * releases; {@code null} if the database does not
 * @param notifications the notifications of releases; {@code null} likewise
 * @param reactiveTransactions the reactive transactions of the application; {@code null}
 * without the libraries for them
 */
record JdbcAccess(LockTable locks, ResultTable results, Connections connections, StoreCalls calls,
		@Nullable NotifyingTable notifying, @Nullable ReleaseNotifications notifications,
		@Nullable JoinedTransactions transactions, @Nullable JoinedReactiveTransactions reactiveTransactions) {

}
