package io.github.lockstarter.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * A proxy between a client and a server on this machine, which can break open
 * connections, like a load balancer that resets them, or a firewall that drops their
 * packets. Later connections work unless they are refused.
 */
public final class TcpProxy implements AutoCloseable {

	private static final int BUFFER = 64 * 1024;

	private final ServerSocket listener;

	private volatile int[] targets;

	private final Queue<Loss> losses = new ConcurrentLinkedQueue<>();

	private final AtomicInteger accepted = new AtomicInteger();

	private final List<Link> links = new CopyOnWriteArrayList<>();

	private volatile boolean refuses;

	private volatile long delayMillis;

	/**
	 * Starts a proxy on a free port.
	 * @param targets the ports of the servers, which get the connections in turn
	 */
	public TcpProxy(int... targets) {
		this.targets = targets;
		try {
			this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		run(this::accept);
	}

	public int port() {
		return this.listener.getLocalPort();
	}

	/** Returns the number of connections that were accepted so far. */
	public int accepted() {
		return this.accepted.get();
	}

	/** Returns the number of open connections. */
	public int connections() {
		return this.links.size();
	}

	/** Breaks the next connections, each in the given way; later ones work. */
	public void breakNext(Loss... losses) {
		this.losses.addAll(List.of(losses));
	}

	/** Forwards later connections to another server; the open ones remain. */
	public void redirect(int target) {
		this.targets = new int[] { target };
	}

	/** Delays data in each direction from now on, like a network. */
	public void delay(long millis) {
		this.delayMillis = millis;
	}

	private void delay() {
		LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(this.delayMillis));
	}

	/** Drops the server's answers on the open connections. */
	public void dropReplies() {
		this.links.forEach((link) -> link.dropsReplies = true);
	}

	/** Drops all data on the open connections, in both directions. */
	public void dropAll() {
		this.links.forEach((link) -> {
			link.dropsReplies = true;
			link.dropsClientData = true;
		});
	}

	/**
	 * Returns the number of bytes of clients that were forwarded on the open connections.
	 */
	public long passedBytes() {
		return this.links.stream().mapToLong((link) -> link.passedBytes).sum();
	}

	/**
	 * Returns the number of bytes of clients that were dropped on the open connections.
	 */
	public long droppedBytes() {
		return this.links.stream().mapToLong((link) -> link.droppedBytes).sum();
	}

	/** Resets the open connections: the client gets a TCP RST. */
	public void reset() {
		this.links.forEach(Link::reset);
	}

	/** Closes the open connections normally, and refuses new ones. */
	public void cut() {
		refuse();
		this.links.forEach(Link::close);
	}

	/** Closes new connections at once, until {@link #mend()}. */
	public void refuse() {
		this.refuses = true;
	}

	/**
	 * Accepts new connections, and closes open ones that drop their data.
	 */
	public void mend() {
		this.refuses = false;
		this.links.stream().filter((link) -> link.dropsReplies).forEach(Link::close);
	}

	@Override
	public void close() {
		closeQuietly(this.listener);
		reset();
	}

	private void accept() throws IOException {
		while (!this.listener.isClosed()) {
			Socket client = this.listener.accept();
			try {
				int[] targets = this.targets;
				int target = targets[this.accepted.getAndIncrement() % targets.length];
				Link link = new Link(client, new Socket(InetAddress.getLoopbackAddress(), target), this.losses.poll());
				this.links.add(link);
				if (this.refuses || link.loss == Loss.REQUEST) {
					link.close();
				}
				run(link::passToServer);
				run(link::passToClient);
			}
			catch (IOException ex) {
				closeQuietly(client);
			}
		}
	}

	private static void run(Work work) {
		Thread thread = new Thread(() -> {
			try {
				work.run();
			}
			catch (IOException ex) {
				// One of the sockets was closed.
			}
		}, "tcp-proxy");
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

	/** How a connection breaks. */
	public enum Loss {

		/** The connection is closed before the server gets any of the request. */
		REQUEST,

		/**
		 * The client's connection is closed when the server, which continues, has the
		 * request.
		 */
		CONNECTION,

		/** The server's answer is dropped. */
		REPLY,

		/** At most half of the server's first answer reaches the client. */
		HALF_OF_REPLY,

		/** The connection is closed normally after half of the server's first answer. */
		END_IN_REPLY

	}

	@FunctionalInterface
	private interface Work {

		void run() throws IOException;

	}

	/** A client's connection, and the connection to the server. */
	private final class Link {

		private final Socket client;

		private final Socket server;

		private final @Nullable Loss loss;

		private volatile boolean dropsClientData;

		private volatile boolean dropsReplies;

		private volatile long droppedBytes;

		private volatile long passedBytes;

		Link(Socket client, Socket server, @Nullable Loss loss) throws IOException {
			this.client = client;
			this.server = server;
			this.loss = loss;
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
		}

		void passToServer() throws IOException {
			try (InputStream in = this.client.getInputStream(); OutputStream out = this.server.getOutputStream()) {
				byte[] buffer = new byte[BUFFER];
				for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
					delay();
					if (this.dropsClientData) {
						this.droppedBytes += length;
					}
					else {
						out.write(buffer, 0, length);
						this.passedBytes += length;
					}
					if (this.loss == Loss.CONNECTION) {
						closeQuietly(this.client);
					}
				}
			}
			finally {
				TcpProxy.this.links.remove(this);
			}
		}

		void passToClient() throws IOException {
			try (InputStream in = this.server.getInputStream(); OutputStream out = this.client.getOutputStream()) {
				byte[] buffer = new byte[BUFFER];
				for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
					delay();
					if (!this.dropsReplies && breaksReply()) {
						out.write(buffer, 0, (this.loss == Loss.REPLY) ? 0 : length / 2);
						this.dropsReplies = true;
						if (this.loss == Loss.END_IN_REPLY) {
							closeQuietly(this.client);
						}
					}
					else if (!this.dropsReplies) {
						out.write(buffer, 0, length);
					}
				}
			}
			finally {
				TcpProxy.this.links.remove(this);
			}
		}

		private boolean breaksReply() {
			return this.loss == Loss.REPLY || this.loss == Loss.HALF_OF_REPLY || this.loss == Loss.END_IN_REPLY;
		}

		void reset() {
			try {
				// With this, closing sends a RST instead of a FIN.
				this.client.setSoLinger(true, 0);
			}
			catch (IOException ex) {
				// It is closed.
			}
			close();
		}

		void close() {
			closeQuietly(this.client);
			closeQuietly(this.server);
		}

	}

}
