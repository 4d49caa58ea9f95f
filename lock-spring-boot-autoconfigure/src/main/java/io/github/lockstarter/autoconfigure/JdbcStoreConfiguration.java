package io.github.lockstarter.autoconfigure;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.autoconfigure.ConditionalOnLockStore.StoreUse;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;
import io.github.lockstarter.store.jdbc.JdbcLockStore;
import io.github.lockstarter.store.jdbc.JdbcLockStoreSettings;

/**
 * Configures the store in a SQL database, by default in that of the application. The
 * store has its own connections, so that it does not depend on the application's pool,
 * which handlers may exhaust.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ JdbcLockStore.class, DataSourceBuilder.class, HikariDataSource.class })
@ConditionalOnLockStore(LockProperties.Store.JDBC)
@EnableConfigurationProperties(JdbcProperties.class)
class JdbcStoreConfiguration {

	private final JdbcProperties properties;

	JdbcStoreConfiguration(JdbcProperties properties) {
		this.properties = properties;
	}

	@Bean
	@Lazy
	@ConditionalOnLockStore(value = LockProperties.Store.JDBC, use = StoreUse.DEFAULT)
	@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
	@DependsOnDatabaseInitialization
	LockStore exclusiveRequestJdbcLockStore(LockProperties locks, ObjectProvider<DataSource> dataSources) {
		locks.require(LockProperties.Store.JDBC);
		return create(dataSources, LockProperties.DEFAULT_STORE);
	}

	@Bean(autowireCandidate = false)
	@Lazy
	@ConditionalOnLockStore(value = LockProperties.Store.JDBC, use = StoreUse.NAMED)
	@ConditionalOnMissingBean(value = { LockStores.class, LockRegistry.class }, name = "exclusiveRequestJdbcLockStore")
	@DependsOnDatabaseInitialization
	LockStore exclusiveRequestNamedJdbcLockStore(LockProperties locks, ObjectProvider<DataSource> dataSources) {
		return create(dataSources, locks.propertyOf(LockProperties.Store.JDBC));
	}

	private LockStore create(ObjectProvider<DataSource> dataSources, String property) {
		JdbcProperties jdbc = this.properties;
		LockProperties.check("lock.jdbc.table", jdbc.table(), JdbcLockStoreSettings::checkTable);
		DataSource application = (jdbc.url() == null) ? dataSources.getIfUnique() : null;
		HikariConfig database = (jdbc.url() != null) ? database(jdbc)
				: ApplicationDatabase.settings(application, property);
		return new JdbcLockStore(JdbcLockStoreSettings.of(database)
			.withConnections(jdbc.connections())
			.withTable(jdbc.table())
			.withCreateTables(createsTables(jdbc, database))
			.withCommandTimeout(jdbc.commandTimeout())
			.withApplicationDataSource(application));
	}

	private static HikariConfig database(JdbcProperties jdbc) {
		HikariConfig database = new HikariConfig();
		database.setJdbcUrl(jdbc.url());
		database.setUsername(jdbc.username());
		database.setPassword(jdbc.password());
		return database;
	}

	private static boolean createsTables(JdbcProperties jdbc, HikariConfig database) {
		return switch (jdbc.initializeSchema()) {
			case ALWAYS -> true;
			case NEVER -> false;
			case EMBEDDED -> isEmbedded(database.getJdbcUrl());
		};
	}

	/** Of the supported databases, only H2 can be embedded. */
	private static boolean isEmbedded(String url) {
		return EmbeddedDatabaseConnection.isEmbedded(EmbeddedDatabaseConnection.H2.getDriverClassName(), url);
	}

}
