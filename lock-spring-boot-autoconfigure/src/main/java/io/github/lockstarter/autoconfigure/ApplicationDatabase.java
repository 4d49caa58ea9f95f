package io.github.lockstarter.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariCredentialsProvider;
import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import io.github.lockstarter.LockConfigurationException;

/**
 * How the application connects to its database. The settings follow those of the
 * application: its current user and password are those of the next connection.
 */
final class ApplicationDatabase {

	private static final String OWN_DATABASE = "Set lock.jdbc.url, lock.jdbc.username and lock.jdbc.password.";

	private ApplicationDatabase() {
	}

	/**
	 * Returns the settings of connections to the database of a data source. They contain
	 * its URL, also if another data source connects.
	 * @param property the property that chooses the store
	 * @throws LockConfigurationException if they cannot be determined
	 */
	static HikariConfig settings(@Nullable DataSource dataSource, String property) {
		if (dataSource == null) {
			throw new LockConfigurationException(
					property + " is jdbc, but the application has no DataSource, or has several and none is primary.",
					"Set spring.datasource.url, make one of several DataSources @Primary, or set lock.jdbc.url for a database of the locks.");
		}
		DataSource home = home(dataSource, property);
		HikariDataSource pool = DataSourceUnwrapper.unwrap(home, HikariConfigMXBean.class, HikariDataSource.class);
		try {
			return (pool == null) ? derivedFrom(home) : (pool.getJdbcUrl() != null) ? pool : withUrl(pool);
		}
		catch (RuntimeException | SQLException ex) {
			throw new LockConfigurationException(
					"%s is jdbc, but the URL of the application's DataSource cannot be determined: %s"
						.formatted(property, ex.getMessage()),
					OWN_DATABASE);
		}
	}

	/** Locks have one home, also if the data of tenants is in several databases. */
	private static DataSource home(DataSource dataSource, String property) {
		AbstractRoutingDataSource routing = DataSourceUnwrapper.unwrap(dataSource, AbstractRoutingDataSource.class);
		if (routing == null) {
			return dataSource;
		}
		DataSource home = routing.getResolvedDefaultDataSource();
		if (home == null) {
			throw new LockConfigurationException(property
					+ " is jdbc, but the application's DataSource routes to several databases, and none of them is the default.",
					OWN_DATABASE);
		}
		return home(home, property);
	}

	private static HikariConfig derivedFrom(DataSource dataSource) {
		HikariDataSource derived = derive(dataSource);
		derived.setCredentialsProvider(() -> derive(dataSource).getCredentials());
		return derived;
	}

	private static HikariDataSource derive(DataSource dataSource) {
		return DataSourceBuilder.derivedFrom(dataSource).type(HikariDataSource.class).build();
	}

	/** Returns the settings of a pool whose connections a data source makes. */
	private static HikariConfig withUrl(HikariDataSource pool) throws SQLException {
		HikariConfig settings = new HikariConfig();
		pool.copyStateTo(settings);
		settings.setJdbcUrl(url(pool));
		HikariCredentialsProvider credentials = pool.getCredentialsProvider();
		settings.setCredentialsProvider((credentials != null) ? credentials : pool::getCredentials);
		return settings;
	}

	/** Connects only if the data source does not tell its URL. */
	private static String url(HikariDataSource pool) throws SQLException {
		DataSource source = pool.getDataSource();
		if (source != null) {
			BeanWrapper properties = PropertyAccessorFactory.forBeanPropertyAccess(source);
			if (properties.isReadableProperty("url") && properties.getPropertyValue("url") instanceof String url) {
				return url;
			}
		}
		try (Connection connection = pool.getConnection()) {
			return connection.getMetaData().getURL();
		}
	}

}
