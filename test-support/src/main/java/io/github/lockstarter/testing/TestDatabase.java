package io.github.lockstarter.testing;

import java.util.List;

/**
 * The databases that tests share: H2, PostgreSQL and MariaDB. With {@code -Dtest.mysqld},
 * MySQL takes the place of all of them.
 */
public enum TestDatabase {

	H2, POSTGRESQL, MARIADB, MYSQL;

	/** Returns the databases of this run. */
	public static List<TestDatabase> all() {
		return (LocalMySql.CHOSEN != null) ? List.of(MYSQL) : List.of(H2, POSTGRESQL, MARIADB);
	}

	/** Returns those of them that are servers, which several applications can use. */
	public static List<TestDatabase> servers() {
		return all().stream().filter((database) -> database != H2).toList();
	}

	/**
	 * Returns the JDBC URL of an empty database, or of one that other tests have used.
	 */
	public String url() {
		return url("shared");
	}

	/**
	 * Returns the JDBC URL of a database.
	 * @param memory its name if it is in memory: tests with different users need
	 * different databases
	 */
	public String url(String memory) {
		return switch (this) {
			case H2 -> "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(memory);
			case POSTGRESQL -> LocalPostgreSql.shared().url();
			case MARIADB, MYSQL -> LocalMySql.shared().url();
		};
	}

	/** Returns the R2DBC URL of the same database. */
	public String reactiveUrl() {
		return reactiveUrl("shared");
	}

	/** Returns the R2DBC URL of the same database. */
	public String reactiveUrl(String memory) {
		return switch (this) {
			case H2 -> "r2dbc:h2:mem:///%s?options=DB_CLOSE_DELAY=-1".formatted(memory);
			case POSTGRESQL -> LocalPostgreSql.shared().reactiveUrl();
			case MARIADB, MYSQL -> LocalMySql.shared().reactiveUrl();
		};
	}

}
