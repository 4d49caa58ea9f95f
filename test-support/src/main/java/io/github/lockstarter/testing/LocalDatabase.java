package io.github.lockstarter.testing;

/**
 * A database server on this machine, with injectable faults.
 */
public interface LocalDatabase extends AutoCloseable {

	/** Returns the port on which the server listens. */
	int port();

	/** Returns the URL of an empty database on a port, which may be that of a proxy. */
	String url(int port);

	/** Returns the URL of an empty database. */
	default String url() {
		return url(port());
	}

	/** Starts the server with its previous data, and waits until it answers. */
	void start();

	/** Kills the server, as {@code kill -9} does. */
	void kill();

	/** Freezes the server; its connections stay open. */
	void freeze();

	void thaw();

	@Override
	void close();

}
