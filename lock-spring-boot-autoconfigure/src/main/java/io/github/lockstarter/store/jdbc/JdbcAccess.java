package io.github.lockstarter.store.jdbc;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.store.StoreCalls;

/**
 * What all locks of a database have in common.
 *
 * @param notifications notifies waiters of releases; {@code null} if the database cannot
 */
record JdbcAccess(LockTable locks, ResultTable results, Connections connections, StoreCalls calls,
		@Nullable ReleaseNotifications notifications) {

}
