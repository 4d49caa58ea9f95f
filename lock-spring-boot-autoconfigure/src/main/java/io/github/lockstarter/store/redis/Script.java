package io.github.lockstarter.store.redis;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

import org.springframework.data.redis.core.script.DigestUtils;

/**
 * A Lua script that answers with a number, in one round trip: it is called by its digest,
 * and sent whole only to a server that does not know it.
 */
enum Script {

	/**
	 * Answers with the fencing token, or, when somebody else holds the lock, with the
	 * remaining milliseconds of that lease as a number that is not positive. The same
	 * owner is granted again, because a driver may repeat a command after a reconnect.
	 */
	ACQUIRE("""
			if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
			    or redis.call('get', KEYS[1]) == ARGV[1] then
			  return redis.call('incr', KEYS[2])
			end
			return -math.max(redis.call('pttl', KEYS[1]), 0)
			"""),

	/** Answers with 1 if the owner held the lock, otherwise with 0. */
	RENEW("""
			if redis.call('get', KEYS[1]) == ARGV[1] then
			  return redis.call('pexpire', KEYS[1], ARGV[2])
			end
			return 0
			"""),

	/** Answers with 1 if the owner held the lock, otherwise with 0. */
	RELEASE("""
			if redis.call('get', KEYS[1]) == ARGV[1] then
			  return redis.call('del', KEYS[1])
			end
			return 0
			""");

	private final String text;

	private final String digest;

	Script(String text) {
		this.text = text;
		this.digest = DigestUtils.sha1DigestAsHex(text);
	}

	/** Makes the scripts known to the server, so that no first call has to. */
	static void loadAll(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		for (Script script : values()) {
			redis.scriptLoad(script.text);
		}
	}

	CompletionStage<Long> run(RedisClusterAsyncCommands<byte[], byte[]> redis, byte[][] keys, byte[]... args) {
		CompletionStage<Long> reply = redis.evalsha(this.digest, ScriptOutputType.INTEGER, keys, args);
		return reply.exceptionallyCompose((failure) -> {
			Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
			return (cause instanceof RedisNoScriptException)
					? redis.eval(this.text, ScriptOutputType.INTEGER, keys, args) : reply;
		});
	}

}
