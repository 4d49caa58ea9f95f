package io.github.lockstarter.store.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Logger;

import org.jspecify.annotations.Nullable;

/**
 * A JDBC driver that wraps another one, and records the executed prepared statements. Its
 * URLs begin with {@code jdbc:counting:}.
 */
final class CountingDriver implements Driver {

	static final List<String> executed = new CopyOnWriteArrayList<>();

	private static final String PREFIX = "jdbc:counting:";

	private CountingDriver() {
	}

	/** Returns the URL that connects through this driver. */
	static String url(String url) {
		try {
			DriverManager.registerDriver(new CountingDriver());
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		return url.replace("jdbc:", PREFIX);
	}

	@Override
	public @Nullable Connection connect(String url, Properties properties) throws SQLException {
		if (!acceptsURL(url)) {
			return null;
		}
		Connection connection = DriverManager.getConnection(url.replace(PREFIX, "jdbc:"), properties);
		return proxy(Connection.class, connection, "");
	}

	/** Counts the executions of a statement, or of the statements of a connection. */
	private static <T> T proxy(Class<T> type, T target, String sql) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (self, method, args) -> {
				if (type == PreparedStatement.class && method.getName().startsWith("execute")) {
					executed.add(sql.strip());
				}
				try {
					Object result = method.invoke(target, args);
					return (result instanceof PreparedStatement statement)
							? proxy(PreparedStatement.class, statement, (String) args[0]) : result;
				}
				catch (InvocationTargetException ex) {
					throw ex.getCause();
				}
			}));
	}

	@Override
	public boolean acceptsURL(String url) {
		return url.startsWith(PREFIX);
	}

	@Override
	public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties) {
		return new DriverPropertyInfo[0];
	}

	@Override
	public int getMajorVersion() {
		return 1;
	}

	@Override
	public int getMinorVersion() {
		return 0;
	}

	@Override
	public boolean jdbcCompliant() {
		return false;
	}

	@Override
	public Logger getParentLogger() throws SQLFeatureNotSupportedException {
		throw new SQLFeatureNotSupportedException();
	}

}
