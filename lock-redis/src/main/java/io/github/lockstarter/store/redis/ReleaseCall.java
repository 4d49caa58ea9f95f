package io.github.lockstarter.store.redis;

import java.util.function.BiConsumer;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * A release of a lock, without a result. Sent alone, it is the command of
 * {@link CompareAndDelete}, and after that the script if the command did not find the
 * value: another instance waits, or the owner has lost the lock.
 */
final class ReleaseCall extends LockCall {

	private final RedisAccess redis;

	private final byte[] lock;

	private final byte[] value;

	private final boolean comparesFirst;

	/**
	 * Creates a release.
	 * @param value the value of the lock while nobody waits
	 * @param comparesFirst whether the command is sent before the script; otherwise there
	 * is only the script
	 */
	ReleaseCall(RedisAccess redis, byte[] lock, byte[] value, boolean comparesFirst) {
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
		boolean sent = this.comparesFirst
				&& this.redis.compareAndDelete().send(redis, this.lock, this.value, (number, failure) -> {
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
