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

import org.jspecify.annotations.Nullable;

/**
 * Stands between a client and a server on this machine, and can break the connections
 * that are open: as a load balancer does that resets them, or a firewall that drops what
 * they carry. Connections that are opened later work, unless they are refused.
 */
public final class TcpProxy implements AutoCloseable {

	private static final int BUFFER = 64 * 1024;

	private final ServerSocket listener;

	private final int[] targets;

	private final Queue<Loss> losses = new ConcurrentLinkedQueue<>();

	private int accepted;

	private final List<Link> links = new CopyOnWriteArrayList<>();

	private volatile boolean refuses;

	/**
	 * Starts a proxy on a port of its own.
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

	/** Returns how many connections are open. */
	public int connections() {
		return this.links.size();
	}

	/** Breaks the next connections, each in its way; those after them work. */
	public void breakNext(Loss... losses) {
		this.losses.addAll(List.of(losses));
	}

	/** Drops what the server answers on the connections that are open. */
	public void dropReplies() {
		this.links.forEach((link) -> link.dropsReplies = true);
	}

	/** Drops all that the connections that are open carry, both ways. */
	public void dropAll() {
		this.links.forEach((link) -> {
			link.dropsReplies = true;
			link.dropsRequests = true;
		});
	}

	/** Returns how many bytes of requests were passed on over the open connections. */
	public long passedRequestBytes() {
		return this.links.stream().mapToLong((link) -> link.passedRequestBytes).sum();
	}

	/** Returns how many bytes of requests were dropped on the open connections. */
	public long droppedRequestBytes() {
		return this.links.stream().mapToLong((link) -> link.droppedRequestBytes).sum();
	}

	/** Resets the connections that are open: the client is sent a TCP RST. */
	public void reset() {
		this.links.forEach(Link::reset);
	}

	/** Closes the connections that are open in order, and refuses new ones. */
	public void cut() {
		refuse();
		this.links.forEach(Link::close);
	}

	/** Closes connections that are opened later at once, until {@link #mend()}. */
	public void refuse() {
		this.refuses = true;
	}

	/**
	 * Lets new connections work, and closes the open ones that drop what they carry.
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
				int target = this.targets[this.accepted++ % this.targets.length];
				Link link = new Link(client, new Socket(InetAddress.getLoopbackAddress(), target), this.losses.poll());
				this.links.add(link);
				if (this.refuses || link.loss == Loss.REQUEST) {
					link.close();
				}
				run(link::passRequests);
				run(link::passReplies);
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

		/** It is closed before anything of the request reaches the server. */
		REQUEST,

		/**
		 * It is closed for the client when the server, which goes on, has the request.
		 */
		CONNECTION,

		/** Nothing that the server answers reaches the client. */
		REPLY,

		/** No more than half of what the server answers first reaches the client. */
		HALF_OF_REPLY,

		/** It is closed in order after half of what the server answers first. */
		END_IN_REPLY

	}

	@FunctionalInterface
	private interface Work {

		void run() throws IOException;

	}

	/** A connection of a client, and the one that it is passed on over. */
	private final class Link {

		private final Socket client;

		private final Socket server;

		private final @Nullable Loss loss;

		private volatile boolean dropsRequests;

		private volatile boolean dropsReplies;

		private volatile long droppedRequestBytes;

		private volatile long passedRequestBytes;

		Link(Socket client, Socket server, @Nullable Loss loss) throws IOException {
			this.client = client;
			this.server = server;
			this.loss = loss;
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
		}

		void passRequests() throws IOException {
			try (InputStream in = this.client.getInputStream(); OutputStream out = this.server.getOutputStream()) {
				byte[] buffer = new byte[BUFFER];
				for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
					if (this.dropsRequests) {
						this.droppedRequestBytes += length;
					}
					else {
						out.write(buffer, 0, length);
						this.passedRequestBytes += length;
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

		void passReplies() throws IOException {
			try (InputStream in = this.server.getInputStream(); OutputStream out = this.client.getOutputStream()) {
				byte[] buffer = new byte[BUFFER];
				for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
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
