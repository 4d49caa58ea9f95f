package io.github.lockstarter.store.jdbc;

import java.util.Locale;
import java.util.stream.Stream;

import io.github.lockstarter.LockConfigurationException;

/**
 * The supported databases.
 */
enum Database {

	POSTGRESQL("postgresql", "postgresql"), MYSQL("mysql", "mysql"), MARIADB("mariadb", "mysql"), H2("h2", "h2");

	private final String inUrl;

	private final String schema;

	Database(String inUrl, String schema) {
		this.inUrl = ":" + inUrl + ":";
		this.schema = schema;
	}

	/**
	 * Returns the database of a JDBC URL, even if it is wrapped in the URL of another
	 * driver.
	 */
	static Database of(String url) {
		return Stream.of(values())
			.filter((each) -> url.toLowerCase(Locale.ROOT).contains(each.inUrl))
			.findFirst()
			.orElseThrow(() -> new LockConfigurationException(
					"Locks cannot be stored in the database of %s.".formatted(url.replaceAll("^(\\w+:\\w+:).*", "$1…")),
					"Use PostgreSQL, MySQL, MariaDB or H2, or choose another lock.store."));
	}

	Schema schema(String table) {
		return new Schema(this.schema, table);
	}

	/**
	 * Returns the table of locks.
	 * @param instance the name of this instance of the application
	 */
	LockTable locks(String table, String instance) {
		return switch (this) {
			case POSTGRESQL -> new PostgreSqlTable(table, instance);
			case MYSQL, MARIADB -> new MySqlTable(table);
			case H2 -> new H2Table(table);
		};
	}

}
