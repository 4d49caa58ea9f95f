package io.github.lockstarter.store.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockConfigurationException;

/**
 * The JDBC URL of a database. It may contain a password, so messages of the store contain
 * no more of it than the name of the driver.
 */
final class DatabaseUrl {

	private static final Pattern DRIVER = Pattern.compile("jdbc:[\\w.+-]{1,30}:", Pattern.CASE_INSENSITIVE);

	private static final String PASSWORD = "password=";

	/** What an administrator corrects. */
	private static final String URL_PROPERTIES = "lock.jdbc.url or spring.datasource.url, for example to jdbc:postgresql://<server>/<database>";

	private final Database database;

	private final String driver;

	/** The URL without the name of the driver. */
	private final String address;

	/**
	 * Creates a URL.
	 * @throws LockConfigurationException if locks cannot be stored in that database, or
	 * its driver would print a password
	 */
	DatabaseUrl(@Nullable String text) {
		String url = (text != null) ? text : "";
		Matcher begin = DRIVER.matcher(url);
		this.driver = begin.lookingAt() ? begin.group() + "…" : "a URL that does not begin with jdbc:";
		this.database = Database.of(url)
			.orElseThrow(() -> new LockConfigurationException(
					"Locks cannot be stored in the database of %s.".formatted(this.driver),
					begin.lookingAt() ? "Use PostgreSQL, MySQL, MariaDB or H2, or choose another store."
							: "Correct " + URL_PROPERTIES + "."));
		this.address = url.substring(begin.lookingAt() ? begin.end() : 0);
		String mistake = this.database.mistakeIn(this.address);
		if (mistake != null) {
			throw new LockConfigurationException(
					"The URL of the locks' database, %s, %s.".formatted(this.driver, mistake),
					"Correct " + URL_PROPERTIES
							+ ", and set the user and the password by lock.jdbc.username and lock.jdbc.password, or spring.datasource.username and spring.datasource.password.");
		}
	}

	Database database() {
		return this.database;
	}

	/**
	 * Returns the failure of a driver to connect, without its message if that contains
	 * the address or a password.
	 */
	SQLException withoutSecrets(SQLException failure) {
		return isIn(failure) ? new SQLTransientConnectionException(
				"The driver of %s could not connect. Its message is not shown, because it contains the URL or a password."
					.formatted(this.driver),
				failure.getSQLState(), failure.getErrorCode()) : failure;
	}

	/** Returns the failure to find a driver, if its message contains the URL. */
	RuntimeException withoutSecrets(RuntimeException failure) {
		return isIn(failure) ? new LockConfigurationException(
				"No driver accepts the URL of the locks' database, %s.".formatted(this.driver),
				"Add the JDBC driver of the database, and correct " + URL_PROPERTIES + ".") : failure;
	}

	/** Returns whether the messages of a failure contain the address or a password. */
	private boolean isIn(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			String message = String.valueOf(cause.getMessage());
			if ((!this.address.isEmpty() && message.contains(this.address))
					|| message.toLowerCase(Locale.ROOT).contains(PASSWORD)) {
				return true;
			}
		}
		return false;
	}

}
