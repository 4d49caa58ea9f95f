package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.Executor;

import io.lettuce.core.pubsub.RedisPubSubAdapter;

import io.github.lockstarter.store.redis.connection.RedisConnections;

/**
 * Notifies waiters of released locks, through one channel for all locks. Watchers are
 * also woken after each subscription, because a message may have been published before,
 * and at intervals while no messages are received.
 */
final class LockPubSub extends RedisPubSubAdapter<byte[], byte[]> {

	private static final byte[] NOTHING = {};

	private final byte[] name;

	private final byte[] instance = bytes(UUID.randomUUID().toString());

	private final ReleaseWatchers watchers = new ReleaseWatchers();

	private final ReleaseSubscription subscription;

	private final ReleasePolling polling;

	private final ReleasePublisher publisher;

	LockPubSub(RedisConnections connections, LettuceConnector connector, String name) {
		this(connections, connector, name, LockPubSub::onOwnThread);
	}

	/**
	 * Creates a channel.
	 * @param connector the connection for publishing
	 * @param threads runs blocking tasks
	 */
	LockPubSub(RedisConnections connections, LettuceConnector connector, String name, Executor threads) {
		this.name = bytes(name);
		this.subscription = new ReleaseSubscription(connections, connector, name, this.watchers, this, threads);
		this.polling = new ReleasePolling(connector, name, this.watchers, this.subscription::isOpen, this::probe);
		this.publisher = new ReleasePublisher(connector, this.name, messageToOthers(NOTHING), this.subscription,
				this.polling);
	}

	private static void onOwnThread(Runnable task) {
		Thread thread = new Thread(task, "lock-redis-subscribe");
		thread.setDaemon(true);
		thread.start();
	}

	byte[] name() {
		return this.name;
	}

	/** Returns the name of this instance of the application in the channel. */
	byte[] instance() {
		return this.instance;
	}

	/** Registers the action to run after each release of the lock. */
	void watch(byte[] lock, Runnable action) {
		this.watchers.add(lock, action);
		this.polling.resume();
	}

	void unwatch(byte[] lock, Runnable action) {
		this.watchers.remove(lock, action);
	}

	/** Subscribes when the channel is opened. */
	void expectWatchers() {
		this.subscription.expectWatchers();
	}

	/** Subscribes on another thread, unless there is a working subscription. */
	void subscribe() {
		this.subscription.subscribe();
	}

	/**
	 * Replaces the subscription, because its server may be another one than that of the
	 * connection.
	 */
	void resubscribe() {
		this.subscription.resubscribe();
	}

	void open() {
		this.subscription.open();
	}

	void close() {
		this.subscription.close();
	}

	@Override
	public void message(byte[] channel, byte[] message) {
		String text = text(message);
		if (text.startsWith(text(this.instance))) {
			this.publisher.received();
		}
		else {
			this.watchers.wake(bytes(text.substring(text.indexOf(' ') + 1)));
		}
	}

	@Override
	public void subscribed(byte[] channel, long count) {
		this.watchers.wakeAll();
		probe();
	}

	private void probe() {
		this.publisher.probe();
	}

	/** Returns the message for a release of the lock. */
	byte[] message(byte[] lock) {
		return join(NOTHING, lock);
	}

	/**
	 * Returns the message for a release of the lock for instances other than this one.
	 */
	byte[] messageToOthers(byte[] lock) {
		return join(this.instance, lock);
	}

	private static byte[] join(byte[] instance, byte[] lock) {
		byte[] message = Arrays.copyOf(instance, instance.length + 1 + lock.length);
		message[instance.length] = ' ';
		System.arraycopy(lock, 0, message, instance.length + 1, lock.length);
		return message;
	}

	/**
	 * Publishes the message after a script that releases a lock, if the script was not
	 * allowed to publish it, and adapts the answer.
	 */
	StoreCommand<Long> published(StoreCommand<Long> release, byte[] message) {
		return published(release, message, Script.RELEASED_UNPUBLISHED, 1L);
	}

	/** Publishes the message after a script that ends a turn, in the same way. */
	StoreCommand<Long> publishedToOthers(StoreCommand<Long> handOver, byte[] message) {
		return published(handOver, message, Script.HANDED_OVER_UNPUBLISHED, 0L);
	}

	private StoreCommand<Long> published(StoreCommand<Long> script, byte[] message, long unpublished, Long done) {
		return (redis, abandoned, reply) -> script.send(redis, abandoned, (number, failure) -> {
			boolean isUnpublished = number != null && number == unpublished;
			if (isUnpublished) {
				this.publisher.publish(redis, message);
			}
			reply.accept(isUnpublished ? done : number, failure);
		});
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

}
