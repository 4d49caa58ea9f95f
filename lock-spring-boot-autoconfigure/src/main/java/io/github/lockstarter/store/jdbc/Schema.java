package io.github.lockstarter.store.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/**
 * The statements that create the tables, read from the files of this library.
 */
final class Schema {

	/** The name of the table of locks in the files. */
	private static final String TABLE = "\\blocks\\b";

	/** The name of the table of results in the files. */
	private static final String RESULTS = "\\blocks_results\\b";

	private final String statements;

	/**
	 * Reads the statements.
	 * @param database the database, which selects the file
	 * @param table the name of the table of locks
	 */
	Schema(String database, String table) {
		ClassPathResource file = new ClassPathResource("schema-%s.sql".formatted(database), Schema.class);
		try {
			this.statements = file.getContentAsString(StandardCharsets.UTF_8)
				.replaceAll(RESULTS, ResultTable.nameFor(table))
				.replaceAll(TABLE, table);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Creates the tables that do not exist. */
	void create(Connection connection) {
		ScriptUtils.executeSqlScript(connection, new ByteArrayResource(toString().getBytes(StandardCharsets.UTF_8)));
	}

	/** Returns the statements, as an administrator runs them. */
	@Override
	public String toString() {
		return this.statements;
	}

}
