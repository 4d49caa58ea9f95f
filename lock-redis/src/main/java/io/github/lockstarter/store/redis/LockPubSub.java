package io.github.lockstarter.store.redis;

import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

import io.github.lockstarter.store.redis.connection.RedisConnections;

/**
 * Notifies waiters of released locks, through one channel for all locks. Watchers are
 * also woken after each subscription, because a message may have been published before,
 * and at intervals while no messages are received.
 */
final class LockPubSub extends RedisPubSubAdapter<byte[], byte[]> {

	private final RedisConnections connections;

	private final ReleaseChannel channel;

	private final ReleaseWatchers watchers = new ReleaseWatchers();

	private final ReleaseSubscription subscription;

	private final ReleasePolling polling;

	private final ReleasePublisher publisher;

	LockPubSub(RedisConnections connections, LettuceConnector connector, DriverTimer timer, String name) {
		this(connections, connector, timer, name, ConnectingThreads.named("lock-redis-subscribe"));
	}

	/**
	 * Creates a channel.
	 * @param connector the connection for publishing
	 * @param timer schedules further attempts
	 * @param threads runs blocking tasks
	 */
	LockPubSub(RedisConnections connections, LettuceConnector connector, DriverTimer timer, String name,
			Executor threads) {
		this.connections = connections;
		this.channel = new ReleaseChannel(name);
		this.subscription = new ReleaseSubscription(this::connect, timer, name, this.watchers, threads);
		this.polling = new ReleasePolling(timer, name, this.watchers, this.subscription::isOpen, this::probe);
		this.publisher = new ReleasePublisher(connector, timer, this.channel, this.subscription, this.polling);
	}

	private StatefulRedisPubSubConnection<byte[], byte[]> connect() {
		StatefulRedisPubSubConnection<byte[], byte[]> connection = this.connections.connectPubSub();
		try {
			connection.addListener(this);
			return connection;
		}
		catch (Throwable ex) {
			connection.close();
			throw ex;
		}
	}

	/** Returns the channel and the format of its messages. */
	ReleaseChannel channel() {
		return this.channel;
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
		if (this.channel.isOwn(message)) {
			this.publisher.received();
		}
		else {
			this.watchers.wake(this.channel.lock(message));
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

	/**
	 * Publishes the message after a script that releases the lock, if the script was not
	 * allowed to publish it, and adapts the answer.
	 */
	StoreCommand<Long> published(StoreCommand<Long> release, byte[] lock) {
		return published(release, Script.RELEASED_UNPUBLISHED, 1L, () -> this.channel.message(lock));
	}

	/** Publishes the message after a script that ends a turn, in the same way. */
	StoreCommand<Long> publishedToOthers(StoreCommand<Long> handOver, byte[] lock) {
		return published(handOver, Script.HANDED_OVER_UNPUBLISHED, 0L, () -> this.channel.messageToOthers(lock));
	}

	private StoreCommand<Long> published(StoreCommand<Long> script, long unpublished, Long done,
			Supplier<byte[]> message) {
		return (redis, abandoned, reply) -> script.send(redis, abandoned, (number, failure) -> {
			boolean isUnpublished = number != null && number == unpublished;
			if (isUnpublished) {
				this.publisher.publish(redis, message.get());
			}
			reply.accept(isUnpublished ? done : number, failure);
		});
	}

}
