package io.github.lockstarter.store.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/**
 * The statements that create the tables, read from the files of this library.
 */
final class Schema {

	/** The names of the tables of locks and of results in the files. */
	private static final Pattern NAME = Pattern.compile("\\blocks(_results)?\\b");

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
				.lines()
				.map((line) -> NAME.matcher(line)
					.replaceAll((name) -> (name.group(1) != null) ? ResultTable.nameFor(table) : table))
				.collect(Collectors.joining("\n", "", "\n"));
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
