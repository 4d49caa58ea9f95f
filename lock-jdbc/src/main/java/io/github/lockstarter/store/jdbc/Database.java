package io.github.lockstarter.store.jdbc;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The supported databases.
 */
enum Database {

	POSTGRESQL("postgresql", "postgresql"), MYSQL("mysql", "mysql"), MARIADB("mariadb", "mysql"), H2("h2", "h2");

	private static final String USER_MISTAKE = "has a user before the name of the server, which its driver does not support";

	/** Parameters follow a question mark. */
	private static final Pattern USER = Pattern.compile("//[^?]*@");

	/** Parameters follow a semicolon, and a name of a file may contain the sign. */
	private static final Pattern USER_OF_H2 = Pattern.compile("//[^/;]*@");

	private static final Pattern NO_DATABASE = Pattern.compile("//[^/?]*(\\?|$)");

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

	/**
	 * Returns what is wrong with a URL that the driver would print, and not accept;
	 * {@code null} if there is no such thing.
	 * @param address the URL without the name of the driver
	 */
	@Nullable String mistakeIn(String address) {
		return switch (this) {
			case POSTGRESQL -> USER.matcher(address).find() ? USER_MISTAKE
					: NO_DATABASE.matcher(address).find() ? "has no / after the name of the server" : null;
			case MARIADB -> USER.matcher(address).find() ? USER_MISTAKE : null;
			case H2 -> USER_OF_H2.matcher(address).find() ? USER_MISTAKE : null;
			case MYSQL -> null;
		};
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
