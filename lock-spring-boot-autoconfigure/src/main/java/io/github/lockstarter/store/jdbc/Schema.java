package io.github.lockstarter.store.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/**
 * The statements that create the tables, as they are in this library's files.
 */
final class Schema {

	/** The table of locks in the files, where the name of that of results begins so. */
	private static final String TABLE = "\\blocks";

	private final String statements;

	/**
	 * Reads the statements.
	 * @param database which of the files
	 * @param table the name of the table of locks
	 */
	Schema(String database, String table) {
		ClassPathResource file = new ClassPathResource("schema-%s.sql".formatted(database), Schema.class);
		try {
			this.statements = file.getContentAsString(StandardCharsets.UTF_8).replaceAll(TABLE, table);
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
