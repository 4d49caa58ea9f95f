package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.event.command.CommandListener;
import io.lettuce.core.event.command.CommandStartedEvent;

import io.github.lockstarter.LeaseLostEvent;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.registry.RegistrySettings;
import io.github.lockstarter.registry.sharing.SharingRegistry.LeaseOrResult;
import io.github.lockstarter.store.redis.connection.RedisConnections;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The connections, store and registry of one instance of an application. Records the
 * commands to Redis.
 */
public final class RedisInstance implements AutoCloseable {

	/** Commands that are sent once per connection, or that monitor it. */
	private static final Set<String> SET_UP = Set.of("HELLO", "CLIENT", "SCRIPT", "COMMAND", "INFO", "PING", "PUBLISH");

	/** The command timeout of a working Redis, which allows for pauses of the machine. */
	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final ArrayList<String> commands = new ArrayList<>();

	private final List<LeaseLostEvent> losses = new CopyOnWriteArrayList<>();

	private final RedisLockStore store;

	private final DefaultLockRegistry locks;

	/**
	 * Returns the command by which the shared Redis releases a lock for which nobody
	 * waits.
	 */
	public static String releaseCommand() {
		RedisClient client = RedisClient.create(RedisURI.create(TestRedis.host(), TestRedis.port()));
		try {
			List<Object> commands = client.connect().sync().commandInfo("DELEX", "DELIFEQ");
			return (commands.get(0) instanceof List<?>) ? "DELEX"
					: (commands.get(1) instanceof List<?>) ? "DELIFEQ" : "EVALSHA";
		}
		finally {
			client.shutdown();
		}
	}

	/** Creates an instance on the shared Redis. */
	public RedisInstance(String keyPrefix) {
		this(TestConnections.create(), keyPrefix, 0, 10_000);
	}

	public RedisInstance(RedisConnections connections, String keyPrefix, int replicasToAck, int maxWaiters) {
		this(connections, keyPrefix, replicasToAck, maxWaiters, PATIENCE);
	}

	/** Creates an instance for a Redis that does not answer in time. */
	public RedisInstance(RedisConnections connections, String keyPrefix, int replicasToAck, int maxWaiters,
			Duration timeout) {
		connections.client().addListener(new CommandListener() {

			@Override
			public void commandStarted(CommandStartedEvent event) {
				String command = event.getCommand().getType().toString();
				synchronized (RedisInstance.this.commands) {
					if (!SET_UP.contains(command)) {
						RedisInstance.this.commands.add(command);
					}
				}
			}

		});
		this.store = new RedisLockStore(connections, keyPrefix, timeout, replicasToAck);
		this.store.start();
		awaitConnection();
		this.locks = new DefaultLockRegistry(this.store,
				RegistrySettings.of(LockOptions.of(Duration.ofSeconds(10)))
					.withMaxWaiters(maxWaiters)
					.withLosses(this.losses::add));
	}

	/**
	 * Waits for the connection, because loading the driver takes a new process longer
	 * than some leases last.
	 */
	private void awaitConnection() {
		try {
			this.store.connect().toCompletableFuture().get(5, TimeUnit.SECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			// Redis is down or silent in this test.
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	public DefaultLockRegistry locks() {
		return this.locks;
	}

	public RedisLockStore store() {
		return this.store;
	}

	/** Returns the commands it has sent so far. */
	public List<String> commands() {
		synchronized (this.commands) {
			return List.copyOf(this.commands);
		}
	}

	/** Returns the number of commands so far. */
	public int commandCount() {
		synchronized (this.commands) {
			return this.commands.size();
		}
	}

	/**
	 * Asserts that since the given time one subscription and this number of commands for
	 * locks were sent, plus at most one command per second, because a waiter polls.
	 */
	public void assertCommands(String what, int commands, long since) {
		int seconds = (int) Duration.ofNanos(System.nanoTime() - since).toSeconds();
		assertThat(commands()).as(what)
			.containsOnlyOnce("SUBSCRIBE")
			.allMatch((command) -> command.equals("SUBSCRIBE") || isOfLock(command))
			.hasSizeBetween(1 + commands, 1 + commands + seconds);
	}

	/** Returns whether the command acquires or releases a lock. */
	static boolean isOfLock(String command) {
		return Set.of("EVALSHA", "DELEX", "DELIFEQ").contains(command);
	}

	/** Forgets the commands. */
	public void forgetCommands() {
		synchronized (this.commands) {
			this.commands.clear();
			this.commands.trimToSize();
		}
	}

	/** Returns the reported losses. */
	public List<LeaseLostEvent> losses() {
		return this.losses;
	}

	/** Matches an acquisition with this result instead of the lock. */
	public static Predicate<LeaseOrResult> gives(String text) {
		return (acquired) -> acquired.result() != null && acquired.result().text().equals(text);
	}

	@Override
	public void close() {
		this.locks.close();
		this.store.close();
	}

}
