package io.github.lockstarter.plain;

import java.time.Duration;

import com.zaxxer.hikari.HikariConfig;

import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.store.jdbc.JdbcLockStore;
import io.github.lockstarter.store.jdbc.JdbcLockStoreSettings;

class DatabaseLocks implements AutoCloseable {

	private final JdbcLockStore store;

	private final DefaultLockRegistry locks;

	DatabaseLocks(String url, String userName, String password) {
		HikariConfig database = new HikariConfig();
		database.setJdbcUrl(url);
		database.setUsername(userName);
		database.setPassword(password);
		this.store = new JdbcLockStore(JdbcLockStoreSettings.of(database));
		this.store.afterPropertiesSet(); // checks the tables
		this.locks = new DefaultLockRegistry(this.store, LockOptions.of(Duration.ofSeconds(10)));
	}

	LockRegistry registry() {
		return this.locks;
	}

	@Override
	public void close() {
		this.locks.close();
		this.store.destroy();
	}

}
