package io.github.lockstarter.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariCredentialsProvider;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.PropertyElf;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.datasource.AbstractDriverBasedDataSource;
import org.springframework.jdbc.datasource.SmartDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ClassUtils;

import io.github.lockstarter.LockConfigurationException;

/**
 * How the application connects to its database. The settings follow those of the
 * application: its current user and password are those of the next connection.
 */
final class ApplicationDatabase {

	private static final Log logger = LogFactory.getLog(ApplicationDatabase.class);

	/** Data sources of drivers that are not pools. */
	private static final List<String> UNPOOLED = List.of("org.postgresql.ds.PGSimpleDataSource",
			"com.mysql.cj.jdbc.MysqlDataSource", "org.mariadb.jdbc.MariaDbDataSource", "org.h2.jdbcx.JdbcDataSource");

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
		if (pool != null) {
			return (pool.getJdbcUrl() != null) ? pool : withUrl(pool, property);
		}
		DataSource unpooled = unpooled(home);
		return (unpooled != null) ? connectingBy(unpooled, property) : derivedFrom(home, property);
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

	/**
	 * Returns the data source if each of its connections is a new one; {@code null} if it
	 * may be a pool.
	 */
	private static @Nullable DataSource unpooled(DataSource dataSource) {
		AbstractDriverBasedDataSource ofSpring = DataSourceUnwrapper.unwrap(dataSource,
				AbstractDriverBasedDataSource.class);
		if (ofSpring != null && !(ofSpring instanceof SmartDataSource)) {
			return ofSpring;
		}
		for (String each : UNPOOLED) {
			if (ClassUtils.isPresent(each, ApplicationDatabase.class.getClassLoader())) {
				Class<?> type = ClassUtils.resolveClassName(each, ApplicationDatabase.class.getClassLoader());
				DataSource ofDriver = DataSourceUnwrapper.unwrap(dataSource, type.asSubclass(DataSource.class));
				if (ofDriver != null) {
					return ofDriver;
				}
			}
		}
		return null;
	}

	/** The data source applies all its settings to the connections of the store. */
	private static HikariConfig connectingBy(DataSource dataSource, String property) {
		HikariConfig settings = new HikariConfig();
		settings.setDataSource(dataSource);
		settings.setJdbcUrl(url(dataSource, dataSource, property));
		return settings;
	}

	private static HikariConfig derivedFrom(DataSource dataSource, String property) {
		try {
			HikariDataSource derived = derive(dataSource);
			derived.setCredentialsProvider(() -> derive(dataSource).getCredentials());
			logger
				.warn(("The lock store connects with the URL, the user and the password of the application's %s. It does"
						+ " not know its other settings, such as properties of the driver, the schema and initial statements."
						+ " If connections need them: %s")
					.formatted(dataSource.getClass().getSimpleName(), OWN_DATABASE));
			return derived;
		}
		catch (RuntimeException ex) {
			throw new LockConfigurationException(
					"%s is jdbc, but the URL, the user and the password of the application's DataSource cannot be read from %s: %s"
						.formatted(property, dataSource.getClass().getName(), ex.getMessage()),
					OWN_DATABASE);
		}
	}

	private static HikariDataSource derive(DataSource dataSource) {
		return DataSourceBuilder.derivedFrom(dataSource).type(HikariDataSource.class).build();
	}

	/** Returns the settings of a pool whose connections a data source makes. */
	private static HikariConfig withUrl(HikariDataSource pool, String property) {
		HikariConfig settings = new HikariConfig();
		pool.copyStateTo(settings);
		settings.setJdbcUrl(url(source(pool), pool, property));
		HikariCredentialsProvider credentials = pool.getCredentialsProvider();
		settings.setCredentialsProvider((credentials != null) ? credentials : pool::getCredentials);
		return settings;
	}

	/** Returns the data source of the pool, or one like that which it will create. */
	private static @Nullable DataSource source(HikariDataSource pool) {
		if (pool.getDataSource() != null || pool.getDataSourceClassName() == null) {
			return pool.getDataSource();
		}
		try {
			Class<?> type = ClassUtils.forName(pool.getDataSourceClassName(),
					ApplicationDatabase.class.getClassLoader());
			DataSource source = (DataSource) BeanUtils.instantiateClass(type);
			PropertyElf.setTargetFromProperties(source, pool.getDataSourceProperties());
			return source;
		}
		catch (ReflectiveOperationException | RuntimeException ex) {
			return null;
		}
	}

	/**
	 * Connects only if the data source does not tell its URL.
	 * @param source what may tell its URL
	 * @param connecting what connects otherwise
	 * @param property the property that chooses the store
	 */
	private static String url(@Nullable DataSource source, DataSource connecting, String property) {
		String url = (source != null) ? toldBy(source) : null;
		if (url != null) {
			return url;
		}
		try (Connection connection = connecting.getConnection()) {
			url = connection.getMetaData().getURL();
		}
		catch (SQLException | RuntimeException ex) {
			throw new LockConfigurationException(
					"%s is jdbc, and the URL of the application's DataSource is known only when it is connected, but it cannot be reached: %s"
						.formatted(property, withoutMessage(ex)),
					"Start the database first. Or: " + OWN_DATABASE);
		}
		if (url == null) {
			throw new LockConfigurationException(
					property + " is jdbc, but the application's DataSource does not tell its URL.", OWN_DATABASE);
		}
		return url;
	}

	/** The message of a driver may contain the URL with a password. */
	private static String withoutMessage(Exception failure) {
		String cause = NestedExceptionUtils.getMostSpecificCause(failure).getClass().getName();
		String state = (failure instanceof SQLException ofDriver) ? ofDriver.getSQLState() : null;
		return (state != null) ? "%s (SQL state %s)".formatted(cause, state) : cause;
	}

	private static @Nullable String toldBy(DataSource source) {
		try {
			BeanWrapper properties = PropertyAccessorFactory.forBeanPropertyAccess(source);
			return (properties.isReadableProperty("url") && properties.getPropertyValue("url") instanceof String url
					&& url.startsWith("jdbc:")) ? url : null;
		}
		catch (RuntimeException ex) {
			return null;
		}
	}

}
