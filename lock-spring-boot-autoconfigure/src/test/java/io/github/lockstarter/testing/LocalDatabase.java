package io.github.lockstarter.testing;

/**
 * A database server on this machine that can be broken at will.
 */
public interface LocalDatabase extends AutoCloseable {

	/** Returns where it is listening. */
	int port();

	/** Returns the URL of an empty database on a port, which may be that of a proxy. */
	String url(int port);

	/** Returns the URL of an empty database. */
	default String url() {
		return url(port());
	}

	/** Starts it, with what was in it, and waits until it answers. */
	void start();

	/** Kills it, as {@code kill -9} does. */
	void kill();

	/** Stops it from doing anything, with all its connections open. */
	void freeze();

	void thaw();

	@Override
	void close();

}
