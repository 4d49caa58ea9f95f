package io.github.lockstarter.benchmarks.candidate;

import java.io.Serializable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The address of a database, which is always on this machine.
 *
 * @param kind the kind of database
 * @param port the port
 */
public record DatabaseAddress(Kind kind, int port) implements Serializable {

	/**
	 * The number of connections of each instance. It is twice the number of threads,
	 * which is at most eight, because this library uses half of the connections to
	 * acquire locks and the other half to release them.
	 */
	public static final int CONNECTIONS = 16;

	/** Returns the URL for the driver. */
	public String url() {
		return this.kind.url.formatted(this.port);
	}

	/** Returns the statement that inserts a row unless there is one with its key. */
	String insertIfAbsent(String insert) {
		return switch (this.kind) {
			case POSTGRESQL -> insert + " ON CONFLICT DO NOTHING";
			case MARIADB -> insert.replaceFirst("INSERT", "INSERT IGNORE");
		};
	}

	/** Returns the settings of HikariCP, which are its defaults except for the size. */
	public HikariConfig settings() {
		HikariConfig settings = new HikariConfig();
		settings.setJdbcUrl(url());
		settings.setMaximumPoolSize(CONNECTIONS);
		return settings;
	}

	/**
	 * Returns a new pool.
	 * @param table the statement that creates the required table unless it exists
	 */
	HikariDataSource pool(String table) {
		HikariDataSource pool = new HikariDataSource(settings());
		new JdbcTemplate(pool).execute(table);
		return pool;
	}

	/** The kinds of databases. */
	public enum Kind {

		POSTGRESQL("jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres"),

		MARIADB("jdbc:mariadb://127.0.0.1:%d/test?user=root");

		private final String url;

		Kind(String url) {
			this.url = url;
		}

	}

}
