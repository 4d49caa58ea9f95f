package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockStoreException;

/**
 * Grants locks that are valid only after enough replicas have acknowledged them.
 * <p>
 * {@code WAIT} delays all later commands on its connection, and covers only earlier
 * writes on it. So grants have a connection of their own, and are sent in rounds. Grants
 * that arrive while one round waits for the replicas form the next round, and wait
 * together.
 */
final class ReplicatedGrants {

	/** So that the grants of one round complete well within the timeout. */
	private static final int MOST_TOGETHER = 500;

	/** The driver gives up a command after 10 s, and the command behind it as well. */
	private static final long LONGEST_WAIT_MILLIS = 8000;

	private final LettuceConnector connector;

	private final int replicas;

	private final long waitMillis;

	private final Queue<Grant<?>> queued = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean underWay = new AtomicBoolean();

	/**
	 * Creates grants.
	 * @param connector a connection that is used for nothing else
	 * @param longestWait the longest time for which a round waits for the replicas
	 */
	ReplicatedGrants(LettuceConnector connector, int replicas, Duration longestWait) {
		this.connector = connector;
		this.replicas = replicas;
		this.waitMillis = longestWait.toMillis();
	}

	/**
	 * Returns the longest time for which a round waits for the replicas.
	 * @param timeout the timeout of a call, of which replicas have half, and at most 8 s
	 */
	static Duration longestWait(Duration timeout) {
		return Duration.ofMillis(Math.max(1, Math.min(timeout.toMillis() / 2, LONGEST_WAIT_MILLIS)));
	}

	/**
	 * Sends a command that may grant a lock in the next round, unless its call has been
	 * answered by then.
	 * @param reply receives the reply after the replicas have acknowledged the grant;
	 * otherwise the failure
	 */
	<T> void send(Call<?> call, GrantCommand<T> command, BiConsumer<@Nullable T, @Nullable Throwable> reply) {
		enqueue(new Grant<>(call, command, reply));
	}

	private void enqueue(Grant<?> grant) {
		this.connector.whenConnected(grant.call, (redis) -> {
			dropAbandoned();
			this.queued.add(grant);
			next();
		});
	}

	/**
	 * The grants at the head are the first to be abandoned. At least as many are removed
	 * as are added.
	 */
	private void dropAbandoned() {
		for (int i = 0; i < 2; i++) {
			Grant<?> head = this.queued.peek();
			if (head != null && head.call.isDone()) {
				this.queued.remove(head);
			}
		}
	}

	private void next() {
		while (!this.queued.isEmpty() && this.underWay.compareAndSet(false, true)) {
			List<Grant<?>> round = new ArrayList<>();
			for (Grant<?> grant = this.queued.poll(); grant != null; grant = (round.size() < MOST_TOGETHER)
					? this.queued.poll() : null) {
				if (!grant.call.isDone()) {
					round.add(grant);
				}
			}
			RedisClusterAsyncCommands<byte[], byte[]> redis = this.connector.openOrConnect();
			if (redis != null && !round.isEmpty()) {
				new GrantRound(redis, round.size()).begin(round);
				return;
			}
			this.underWay.set(false);
			round.forEach(this::enqueue);
		}
	}

	/**
	 * Grants that wait for the replicas together.
	 */
	private final class GrantRound {

		private final RedisClusterAsyncCommands<byte[], byte[]> redis;

		private final int reconnects = ReplicatedGrants.this.connector.reconnects();

		private final AtomicInteger unanswered;

		/**
		 * The actions for the grants, which run when it is known whether the grants are
		 * valid.
		 */
		private final Queue<Grant<?>> granted = new ConcurrentLinkedQueue<>();

		GrantRound(RedisClusterAsyncCommands<byte[], byte[]> redis, int size) {
			this.redis = redis;
			this.unanswered = new AtomicInteger(size);
		}

		void begin(List<Grant<?>> round) {
			for (Grant<?> grant : round) {
				grant.send(this.redis, (waits) -> {
					if (waits) {
						this.granted.add(grant);
					}
					if (this.unanswered.decrementAndGet() == 0) {
						waitForReplicas();
					}
				});
			}
		}

		private void waitForReplicas() {
			if (this.granted.isEmpty()) {
				end(null, null);
				return;
			}
			CompletionStage<Long> acknowledged;
			try {
				acknowledged = this.redis.waitForReplication(ReplicatedGrants.this.replicas,
						ReplicatedGrants.this.waitMillis);
			}
			catch (Throwable ex) {
				// Includes an Error: otherwise no other round would begin.
				end(null, ex);
				return;
			}
			acknowledged.whenComplete(this::end);
		}

		private void end(@Nullable Long acknowledged, @Nullable Throwable failure) {
			ReplicatedGrants.this.underWay.set(false);
			next();
			boolean lost = this.reconnects != ReplicatedGrants.this.connector.reconnects();
			this.granted
				.forEach((grant) -> grant.end((failure != null) ? failure : missing(grant, acknowledged, lost)));
		}

		private @Nullable Throwable missing(Grant<?> grant, @Nullable Long acknowledged, boolean lost) {
			if (lost || acknowledged == null) {
				return new LockStoreException(grant.call.key(),
						"the connection was lost before replicas acknowledged it", null);
			}
			return (acknowledged >= ReplicatedGrants.this.replicas) ? null : new LockStoreException(grant.call.key(),
					"%d of %d replicas acknowledged it in time".formatted(acknowledged, ReplicatedGrants.this.replicas),
					null);
		}

	}

	/**
	 * One command that may grant a lock.
	 */
	private static final class Grant<T> {

		private final Call<?> call;

		private final GrantCommand<T> command;

		private final BiConsumer<@Nullable T, @Nullable Throwable> reply;

		private @Nullable T answer;

		Grant(Call<?> call, GrantCommand<T> command, BiConsumer<@Nullable T, @Nullable Throwable> reply) {
			this.call = call;
			this.command = command;
			this.reply = reply;
		}

		/**
		 * Sends the command.
		 * @param waits receives whether the lock was granted, so that the round has to
		 * wait for the replicas
		 */
		void send(RedisClusterAsyncCommands<byte[], byte[]> redis, Consumer<Boolean> waits) {
			// Never abandoned, because a round counts the replies.
			this.command.command().send(redis, () -> false, (answer, failure) -> {
				boolean isGranted = answer != null && this.command.granted().test(answer);
				this.answer = answer;
				waits.accept(isGranted);
				if (!isGranted) {
					this.reply.accept(answer, failure);
				}
			});
		}

		void end(@Nullable Throwable failure) {
			this.reply.accept((failure == null) ? this.answer : null, failure);
		}

	}

}
