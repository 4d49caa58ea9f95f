package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Notifies waiters of released locks with {@code LISTEN} and {@code NOTIFY} of
 * PostgreSQL, over one connection for all locks, with a thread of its own. Both are
 * started for the first waiter. While no notifications are received, for example because
 * the connection was lost, and behind a pooler, the waiters poll.
 */
final class ReleaseNotifications {

	private static final Log logger = LogFactory.getLog(ReleaseNotifications.class);

	private static final int POLL_MILLIS = 100;

	private static final int IDLE_MILLIS = 1000;

	/** The interval of the probes that check whether notifications are received. */
	private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(5);

	/**
	 * The number of probes without a notification after which the connection is replaced.
	 */
	private static final int MOST_UNANSWERED = 3;

	private static final String NOTIFY = "SELECT pg_notify(?, ?)";

	private final String channel;

	private final Connections connections;

	private final Map<String, Runnable> watchers = new ConcurrentHashMap<>();

	/** Unlike the key of any lock. */
	private final String instance;

	private final Backoff attempts = new Backoff();

	private final AtomicBoolean started = new AtomicBoolean();

	private volatile boolean closed;

	private boolean reported;

	/**
	 * Creates an instance, which is started later.
	 * @param instance the name of this instance, which ignores its own notifications at
	 * the end of a turn
	 */
	ReleaseNotifications(String channel, String instance, Connections connections) {
		this.channel = channel;
		this.instance = instance;
		this.connections = connections;
	}

	/** Registers the action to run after each release of the lock. */
	void watch(String key, Runnable action) {
		this.watchers.put(key, action);
		listen();
	}

	void unwatch(String key, Runnable action) {
		this.watchers.remove(key, action);
	}

	/** Starts to listen, unless it has been started already. */
	void listen() {
		if (!this.closed && this.started.compareAndSet(false, true)) {
			try {
				Thread thread = new Thread(this::run, "lock-jdbc-listen");
				thread.setDaemon(true);
				thread.start();
			}
			catch (Throwable ex) {
				this.started.set(false);
				throw ex;
			}
		}
	}

	void close() {
		this.closed = true;
	}

	private void run() {
		while (!this.closed) {
			if (this.attempts.begin() != null) {
				pollOnce();
				continue;
			}
			int generation = this.connections.generation();
			try (Connection connection = this.connections.borrow()) {
				// Behind a pooler, the session would deliver the notifications to other
				// clients, whose drivers would keep them.
				if (!PostgreSqlTable.Session.of(connection).pooled()) {
					try {
						connection.setNetworkTimeout(Runnable::run, 0);
						receive(connection, generation);
						continue;
					}
					finally {
						// Otherwise the connection would continue to listen.
						this.connections.evict(connection);
					}
				}
			}
			catch (Throwable ex) {
				this.attempts.failed((ex instanceof SQLException failure) ? failure : new SQLException(ex));
				report("the connection was lost", ex);
				pollOnce();
				continue;
			}
			report("a pooler may give its sessions to other clients", null);
			poll(generation);
		}
	}

	private void poll(int generation) {
		while (!this.closed && this.connections.generation() == generation) {
			pollOnce();
		}
	}

	private void pollOnce() {
		wakeAll();
		pause(this.watchers.isEmpty() ? IDLE_MILLIS : nextPause());
	}

	/** Receives notifications until the connections are replaced. */
	private void receive(Connection connection, int generation) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute("LISTEN \"%s\"".formatted(this.channel));
		}
		PGConnection postgres = connection.unwrap(PGConnection.class);
		Probes probes = new Probes();
		// A lock may have been released before the connection listened.
		wakeAll();
		while (!this.closed && this.connections.generation() == generation) {
			if (!this.watchers.isEmpty() && probes.areDue()) {
				if (probes.unanswered > MOST_UNANSWERED) {
					throw new SQLException("No notification has been received from PostgreSQL");
				}
				probes.send();
			}
			PGNotification[] notifications = postgres
				.getNotifications((probes.areAnswered() || this.watchers.isEmpty()) ? IDLE_MILLIS : nextPause());
			for (PGNotification each : notifications) {
				if (each.getParameter().equals(this.instance)) {
					probes.received();
				}
				else if (!each.getParameter().startsWith(this.instance)) {
					wake(each.getParameter());
				}
			}
			if (!probes.areAnswered()) {
				wakeAll();
			}
		}
	}

	/** The key of the lock may follow the name of the instance that ended a turn. */
	private void wake(String notification) {
		Runnable action = this.watchers.get(notification.substring(notification.indexOf(' ') + 1));
		if (action != null) {
			action.run();
		}
	}

	private void wakeAll() {
		this.watchers.values().forEach(Runnable::run);
	}

	private void report(String why, @Nullable Throwable failure) {
		if (!this.reported && !this.closed) {
			this.reported = true;
			logger.warn("PostgreSQL does not notify of released locks (%s): waiters poll every %d ms meanwhile"
				.formatted(why, POLL_MILLIS), failure);
		}
	}

	private static int nextPause() {
		return ThreadLocalRandom.current().nextInt(POLL_MILLIS / 2, POLL_MILLIS * 3 / 2);
	}

	private void pause(int millis) {
		try {
			Thread.sleep(millis);
		}
		catch (InterruptedException ex) {
			this.closed = true;
		}
	}

	/**
	 * Notifications that this instance sends to itself, over another connection than the
	 * listening one.
	 */
	private final class Probes {

		private boolean answered;

		private int unanswered;

		private long sentAt = System.nanoTime() - PROBE_NANOS;

		boolean areDue() {
			return System.nanoTime() - this.sentAt >= PROBE_NANOS;
		}

		boolean areAnswered() {
			return this.answered;
		}

		void send() {
			if (this.unanswered > 0) {
				this.answered = false;
				report("no test notification was received within %d s"
					.formatted(TimeUnit.NANOSECONDS.toSeconds(PROBE_NANOS)), null);
			}
			this.unanswered++;
			this.sentAt = System.nanoTime();
			ReleaseNotifications.this.connections.callers().run((connection, prior) -> {
				try (PreparedStatement statement = connection.prepareStatement(NOTIFY)) {
					statement.setString(1, ReleaseNotifications.this.channel);
					statement.setString(2, ReleaseNotifications.this.instance);
					return statement.execute();
				}
			});
		}

		void received() {
			this.answered = true;
			this.unanswered = 0;
			ReleaseNotifications.this.reported = false;
			ReleaseNotifications.this.attempts.succeeded();
		}

	}

}
