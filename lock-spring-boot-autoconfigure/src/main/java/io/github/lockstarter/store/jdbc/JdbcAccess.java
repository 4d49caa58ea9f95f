package io.github.lockstarter.store.jdbc;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.store.StoreCalls;

/**
 * What all locks of a database have in common.
 *
 * @param transactions the transactions of the application; {@code null} if they are on
 * another database
 * @param notifications notifies waiters of releases; {@code null} if the database cannot
 */
record JdbcAccess(LockTable locks, ResultTable results, Connections connections, StoreCalls calls,
		@Nullable ReleaseNotifications notifications, @Nullable JoinedTransactions transactions) {

}
