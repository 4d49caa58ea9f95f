package io.github.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;

import org.awaitility.Awaitility;

/**
 * A connection pooler for a PostgreSQL server in transaction mode, which gives a
 * connection to another client after each transaction.
 */
public final class LocalPgBouncer extends LocalServer {

	private final int port = unusedPort();

	private final LocalPostgreSql server;

	private LocalPgBouncer(LocalPostgreSql server) {
		this.server = server;
	}

	/** Starts a pooler, and waits until it answers. */
	public static LocalPgBouncer started(LocalPostgreSql server) {
		LocalPgBouncer pooler = new LocalPgBouncer(server);
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
					pool_mode = transaction
					default_pool_size = 3
					ignore_startup_parameters = extra_float_digits
					""".formatted(this.server.port(), this.port));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		List<String> command = new ArrayList<>(List.of("pgbouncer", settings.toString()));
		if ("root".equals(System.getProperty("user.name"))) {
			// PgBouncer refuses to run as root.
			command.addAll(1, List.of("-u", "nobody"));
		}
		start(command);
		Awaitility.await().ignoreExceptions().untilAsserted(() -> DriverManager.getConnection(url()).close());
	}

	public String url() {
		return this.server.url(this.port);
	}

}
