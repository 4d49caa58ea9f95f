package io.github.lockstarter.benchmarks.candidate;

import java.io.Serializable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Where a database is: always on this machine.
 *
 * @param kind which database it is
 * @param port its port
 */
public record DatabaseAddress(Kind kind, int port) implements Serializable {

	/**
	 * How many connections each instance has. At most eight threads use it, with a
	 * connection each. Twice as many, as this library uses half of them to acquire locks
	 * and the other half to release them.
	 */
	public static final int CONNECTIONS = 16;

	/** Returns it as the URL that the driver takes. */
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

	/** Returns the settings of HikariCP, which are its defaults but for the size. */
	public HikariConfig settings() {
		HikariConfig settings = new HikariConfig();
		settings.setJdbcUrl(url());
		settings.setMaximumPoolSize(CONNECTIONS);
		return settings;
	}

	/**
	 * Returns a new pool.
	 * @param table creates the table that is needed, unless it exists
	 */
	HikariDataSource pool(String table) {
		HikariDataSource pool = new HikariDataSource(settings());
		new JdbcTemplate(pool).execute(table);
		return pool;
	}

	/** A database that locks are compared in. */
	public enum Kind {

		POSTGRESQL("jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres"),

		MARIADB("jdbc:mariadb://127.0.0.1:%d/test?user=root");

		private final String url;

		Kind(String url) {
			this.url = url;
		}

	}

}
