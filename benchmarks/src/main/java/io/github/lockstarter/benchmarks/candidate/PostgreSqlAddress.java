package io.github.lockstarter.benchmarks.candidate;

import java.io.Serializable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Where PostgreSQL is: always on this machine.
 *
 * @param port its port
 */
public record PostgreSqlAddress(int port) implements Serializable {

	/**
	 * How many connections each instance has. At most eight threads use it, with a
	 * connection each. Twice as many, as this library uses half of them to acquire locks
	 * and the other half to release them.
	 */
	public static final int CONNECTIONS = 16;

	/** Returns it as the URL that the driver takes. */
	public String url() {
		return "jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres".formatted(this.port);
	}

	/** Returns the settings of HikariCP, which are its defaults but for the size. */
	HikariConfig settings() {
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

}
