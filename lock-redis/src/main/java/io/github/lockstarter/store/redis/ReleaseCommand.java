package io.github.lockstarter.store.redis;

import java.util.function.BiConsumer;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * A release of a lock, without a result. The first time that it is sent alone, it may be
 * the command of {@link CompareAndDelete}. The script follows if that command did not
 * find the value, because another instance waits or the owner has lost the lock, and if
 * the server refused it. In all other cases it is the script.
 */
final class ReleaseCommand extends BatchableCommand {

	private final RedisAccess redis;

	private final byte[] lock;

	private final byte[] value;

	/** Whether {@link CompareAndDelete} comes first. Not for a repetition. */
	private volatile boolean comparesFirst;

	/**
	 * Creates a release.
	 * @param value the value of the lock while nobody waits
	 * @param comparesFirst whether the command is sent before the script; otherwise there
	 * is only the script
	 */
	ReleaseCommand(RedisAccess redis, byte[] lock, byte[] value, boolean comparesFirst) {
		super(redis.batches(), Script.RELEASE);
		this.redis = redis;
		this.lock = lock;
		this.value = value;
		this.comparesFirst = comparesFirst;
	}

	@Override
	byte[][] keys() {
		return new byte[][] { this.lock, this.redis.keys().waiting(this.lock) };
	}

	@Override
	byte[][] args() {
		return new byte[][] { this.value, this.redis.pubSub().channel().name() };
	}

	@Override
	void sendAlone(RedisClusterAsyncCommands<byte[], byte[]> redis,
			BiConsumer<@Nullable Long, @Nullable Throwable> reply) {
		boolean first = this.comparesFirst;
		this.comparesFirst = false;
		boolean sent = first && this.redis.compareAndDelete().send(redis, this.lock, this.value, (number, failure) -> {
			if ((number != null && number == 0) || (failure != null && !RetriedReleases.isTransient(failure))) {
				super.sendAlone(redis, reply);
			}
			else {
				reply.accept(number, failure);
			}
		});
		if (!sent) {
			super.sendAlone(redis, reply);
		}
	}

}
