package io.github.lockstarter.faults.history;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The connections of one application to Redis, which can be broken in several ways.
 */
final class Link implements AutoCloseable {

	private final ServerSocket server;

	private final int target;

	private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

	private volatile boolean down;

	Link(int target) {
		this.target = target;
		try {
			this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start(this::accept);
	}

	int port() {
		return this.server.getLocalPort();
	}

	/** Closes all connections, and new ones, too, until it is mended. */
	void cut() {
		this.down = true;
		this.connections.forEach(Connection::close);
	}

	/** The same, where the application gets a reset instead of an orderly end. */
	void reset() {
		this.down = true;
		this.connections.forEach(Connection::reset);
	}

	/** Lets nothing through the connections that there are, and says nothing of it. */
	void silence() {
		this.connections.forEach((connection) -> connection.silent = true);
	}

	/** Lets requests through the connections that there are, and no answers. */
	void swallowAnswers() {
		this.connections.forEach((connection) -> connection.unanswered = true);
	}

	void mend() {
		this.down = false;
		this.connections.stream().filter(Connection::isBroken).forEach(Connection::close);
	}

	@Override
	public void close() {
		cut();
		closeQuietly(this.server);
	}

	private void accept() {
		while (!this.server.isClosed()) {
			try {
				Socket application = this.server.accept();
				try {
					Connection connection = new Connection(application,
							new Socket(InetAddress.getLoopbackAddress(), this.target));
					this.connections.add(connection);
					if (this.down) {
						connection.close();
					}
					start(connection::carryRequests);
					start(connection::carryAnswers);
				}
				catch (IOException ex) {
					// Redis is unavailable.
					closeQuietly(application);
				}
			}
			catch (IOException ex) {
				// Closed, or the application was faster.
			}
		}
	}

	private static void start(Runnable task) {
		Thread thread = new Thread(task, "link");
		thread.setDaemon(true);
		thread.start();
	}

	private static void closeQuietly(AutoCloseable socket) {
		try {
			socket.close();
		}
		catch (Exception ex) {
			// It is closed.
		}
	}

	private final class Connection {

		private final Socket application;

		private final Socket redis;

		private volatile boolean silent;

		private volatile boolean unanswered;

		Connection(Socket application, Socket redis) throws IOException {
			this.application = application;
			this.redis = redis;
			application.setTcpNoDelay(true);
			redis.setTcpNoDelay(true);
		}

		boolean isBroken() {
			return this.silent || this.unanswered;
		}

		void carryRequests() {
			carry(this.application, this.redis, false);
		}

		void carryAnswers() {
			carry(this.redis, this.application, true);
		}

		private void carry(Socket from, Socket to, boolean answers) {
			byte[] buffer = new byte[8192];
			try (InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
				for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
					if (!this.silent && !(answers && this.unanswered)) {
						out.write(buffer, 0, count);
					}
				}
			}
			catch (IOException ex) {
				// It has ended.
			}
			finally {
				close();
			}
		}

		void reset() {
			try {
				this.application.setSoLinger(true, 0);
			}
			catch (IOException ex) {
				// It is closed.
			}
			close();
		}

		void close() {
			Link.this.connections.remove(this);
			closeQuietly(this.application);
			closeQuietly(this.redis);
		}

	}

}
