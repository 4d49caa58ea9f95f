package io.github.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;

/**
 * A connection pooler for a PostgreSQL server. By default it gives a connection to
 * another client after each transaction.
 */
public final class LocalPgBouncer extends LocalServer {

	private final int port = reservePort();

	private final LocalPostgreSql server;

	private final String mode;

	private final List<String> more;

	private LocalPgBouncer(LocalPostgreSql server, String mode, List<String> more) {
		this.server = server;
		this.mode = mode;
		this.more = more;
	}

	/** Starts a pooler in transaction mode, and waits until it answers. */
	public static LocalPgBouncer started(LocalPostgreSql server) {
		return started(server, "transaction");
	}

	/** Starts a pooler in a mode, with more settings, and waits until it answers. */
	public static LocalPgBouncer started(LocalPostgreSql server, String mode, String... more) {
		LocalPgBouncer pooler = new LocalPgBouncer(server, mode, List.of(more));
		pooler.start();
		return pooler;
	}

	private void start() {
		Path settings = directory().resolve("pgbouncer.ini");
		try {
			Files.writeString(settings, """
					[databases]
					postgres = host=127.0.0.1 port=%d user=postgres
					[pgbouncer]
					listen_addr = 127.0.0.1
					listen_port = %d
					unix_socket_dir =
					auth_type = any
					pool_mode = %s
					default_pool_size = %d
					ignore_startup_parameters = extra_float_digits
					%s
					""".formatted(this.server.port(), this.port, this.mode, "session".equals(this.mode) ? 30 : 3,
					String.join("\n", this.more)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		List<String> command = new ArrayList<>(List.of(administrative("pgbouncer"), settings.toString()));
		if ("root".equals(System.getProperty("user.name"))) {
			// PgBouncer refuses to run as root.
			command.addAll(1, List.of("-u", "nobody"));
		}
		start(command);
		awaitAnswer(() -> DriverManager.getConnection(url()).close());
	}

	public int port() {
		return this.port;
	}

	public String url() {
		return this.server.url(this.port);
	}

}
