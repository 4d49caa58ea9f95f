package io.github.lockstarter.store.jdbc;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

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
	 * driver; empty if it is not supported.
	 */
	static Optional<Database> of(String url) {
		String text = url.toLowerCase(Locale.ROOT);
		return Stream.of(values()).filter((each) -> text.contains(each.inUrl)).findFirst();
	}

	/** Returns whether a URL may contain a user and a password before the server. */
	boolean acceptsUserInUrl() {
		return this == MYSQL;
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
