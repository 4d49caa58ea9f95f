package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;

/**
 * A table of locks in a database that notifies waiters of releases, so that an instance
 * can end its turn for the waiters of others.
 */
interface NotifyingTable {

	/**
	 * Ends a turn: releases the lock for other instances that wait, or grants it to the
	 * next owner.
	 * @param command contains the owner whose turn ends
	 */
	AcquireResult handOver(Connection connection, String key, AcquireCommand command) throws SQLException;

}
