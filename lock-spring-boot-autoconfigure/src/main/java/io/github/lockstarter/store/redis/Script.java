package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.Base16;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.store.redis.RedisCalls.Request;

/**
 * A Lua script that does its work in one round trip: it is called by its digest, and sent
 * whole only to a server that does not know it.
 * <p>
 * The keys are the lock, the fence, the set of those who wait for it, and a result; of
 * these a release without a result takes the lock and the set. Who waits is an instance
 * of the application, which is told of a release through a channel. The message is the
 * lock, after the name of the instance that need not be told, if any. Where publishing is
 * forbidden it is left out, and who waits finds out by itself.
 */
enum Script {

	/**
	 * Answers with the fencing token, or, when somebody else holds the lock, with the
	 * remaining milliseconds of that lease as a number that is not positive. An instance
	 * that is named waits from then on. The same owner is granted again, because a driver
	 * may repeat a command after a reconnect, and so may the owner, who then has it for
	 * no less than asked for.
	 */
	ACQUIRE("""
			local call, lock, fence, owner = redis.call, KEYS[1], KEYS[2], ARGV[1]
			if call('set', lock, owner, 'NX', 'PX', ARGV[2])
			    or call('get', lock) == owner and call('pexpire', lock, math.max(call('pttl', lock), ARGV[2])) then
			  return call('incr', fence)
			end
			local remaining = math.max(call('pttl', lock), 0)
			if (ARGV[3] or '') ~= '' then
			  call('sadd', KEYS[3], ARGV[3])
			  call('pexpire', KEYS[3], remaining + 10000)
			end
			return -remaining
			"""),

	/**
	 * Ends a turn. Answers with the fencing token of the successor; with 0 if the lock
	 * was released because other instances wait, and this one waits with them; with -1 if
	 * the owner did not hold it.
	 */
	HAND_OVER("""
			local lock, fence, waiting = unpack(KEYS)
			local owner, successor, ttl, instance, channel = unpack(ARGV)
			local holder = redis.call('get', lock)
			if holder ~= owner and holder ~= successor then
			  return -1
			end
			redis.call('srem', waiting, instance)
			if redis.call('exists', waiting) == 0 then
			  redis.call('set', lock, successor, 'PX', ttl)
			  return redis.call('incr', fence)
			end
			redis.call('del', lock, waiting)
			redis.pcall('publish', channel, instance .. ' ' .. lock)
			redis.call('sadd', waiting, instance)
			redis.call('pexpire', waiting, 10000)
			return 0
			"""),

	/**
	 * Answers for each key with 1 if the owner held the lock, otherwise with 0. Arguments
	 * are owner and time to live of each in turn.
	 */
	RENEW("""
			local renewed = {}
			for i, lock in ipairs(KEYS) do
			  local owned = redis.pcall('get', lock) == ARGV[2 * i - 1]
			  renewed[i] = owned and redis.call('pexpire', lock, math.max(redis.call('pttl', lock), ARGV[2 * i])) or 0
			end
			return renewed
			"""),

	/** Answers with 1 if the owner held the lock, otherwise with 0. */
	RELEASE("""
			local call, lock, waiting = redis.call, KEYS[1], KEYS[2]
			if call('get', lock) ~= ARGV[1] then
			  return 0
			end
			if call('del', lock, waiting) == 2 then
			  redis.pcall('publish', ARGV[2], ' ' .. lock)
			end
			return 1
			"""),

	/**
	 * Answers with 0, the fencing token of a result, the result and its age in
	 * microseconds, if there is one that counts, otherwise with what {@link #ACQUIRE}
	 * answers with and the last fencing token. Before a result stand the time when it
	 * came and the fencing token. What lacks them was not written by this library and is
	 * older than all; who wants all results gets it, and is to find out. Without a
	 * fencing token to begin with, no result counts.
	 */
	ACQUIRE_OR_RESULT("""
			local call, lock, result = redis.call, KEYS[1], KEYS[4]
			local since, maxAge = tonumber(ARGV[4]), tonumber(ARGV[5])
			local found = since and call('get', lock) ~= ARGV[1] and redis.pcall('get', result)
			local time = found and redis.pcall('time')
			if type(found) == 'string' and not time.err then
			  local came, token, text = string.match(found, '^(%%d+) (%%d+) (.*)$')
			  local age = math.max(time[1] * 1000000 + time[2] - (came or 0), 0) + 1
			  token = tonumber(token or 0)
			  if token >= since or age <= maxAge then
			    return { 0, token, text or found, age }
			  end
			end
			local function acquire()
			  %s
			end
			return { acquire(), tonumber(redis.pcall('get', KEYS[2])) or 0 }
			""".formatted(ACQUIRE.text)),

	/**
	 * Keeps a result and frees the lock. Answers with 1 if the owner held it, otherwise
	 * with 0. Unless it is to be kept in any case, a result is kept only if somebody
	 * waits. A server that has no room for it frees the lock all the same. The last
	 * fencing token is kept with it: several locks have one fence, so that who met the
	 * holder may have been told a later one than the holder's.
	 */
	RELEASE_WITH_RESULT("""
			local call, lock, fence, waiting, result = redis.call, unpack(KEYS)
			local owner, channel, text, keep, always = unpack(ARGV)
			if call('get', lock) ~= owner then
			  return 0
			end
			local time = redis.pcall('time')
			local awaited = call('del', lock, waiting) == 2
			if (awaited or always == '1') and not time.err then
			  local now = string.format('%.0f', time[1] * 1000000 + time[2])
			  local token = redis.pcall('get', fence)
			  token = type(token) == 'string' and token or '0'
			  redis.pcall('set', result, now .. ' ' .. token .. ' ' .. text, 'PX', keep)
			end
			if awaited then
			  redis.pcall('publish', channel, ' ' .. lock)
			end
			return 1
			"""),

	/**
	 * Runs {@link #ACQUIRE} and {@link #RELEASE} for several locks. Answers for each with
	 * its number, or with a text that says why it failed. There are three keys for each
	 * lock and four arguments, the first of which is the name of the script.
	 */
	BATCH("""
			local scripts = {
			  ACQUIRE = function(KEYS, ARGV)
			    %s
			  end,
			  RELEASE = function(KEYS, ARGV)
			    %s
			  end
			}
			local answers = {}
			for i = 1, #KEYS / 3 do
			  local key, arg = 3 * i - 2, 4 * i - 3
			  local keys = { KEYS[key], KEYS[key + 1], KEYS[key + 2] }
			  local args = { ARGV[arg + 1], ARGV[arg + 2], ARGV[arg + 3] }
			  local done, answer = pcall(scripts[ARGV[arg]], keys, args)
			  if done then
			    answers[i] = answer
			  else
			    answers[i] = type(answer) == 'table' and answer.err or answer
			  end
			end
			return answers
			""".formatted(ACQUIRE.text, RELEASE.text));

	/** How many keys there are for each lock in a {@link #BATCH}. */
	static final int BATCH_KEYS = 3;

	/** How many arguments there are for each lock in a {@link #BATCH}. */
	static final int BATCH_ARGS = 4;

	private final String text;

	private final String digest;

	Script(String text) {
		this.text = text;
		this.digest = Base16.digest(text.getBytes(StandardCharsets.UTF_8));
	}

	/** Returns the argument that names this script in a {@link #BATCH}. */
	byte[] nameInBatch() {
		return name().getBytes(StandardCharsets.US_ASCII);
	}

	/**
	 * Makes the scripts known to the server, so that no first call has to. Completes when
	 * the server has them, or will not.
	 */
	static CompletableFuture<?> loadAll(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		CompletableFuture<?>[] loads = Stream.of(values())
			.map((script) -> redis.scriptLoad(script.text).toCompletableFuture())
			.toArray(CompletableFuture<?>[]::new);
		return CompletableFuture.allOf(loads).exceptionally((failure) -> null);
	}

	/** Returns a call of a script that answers with a number. */
	Request<Long> with(byte[][] keys, byte[]... args) {
		return (redis, abandoned, reply) -> run(redis, ScriptOutputType.INTEGER, keys, args, reply);
	}

	/** Returns a call of a script that answers for each of some keys. */
	<T> Request<List<T>> forEachOf(byte[][] keys, byte[]... args) {
		return (redis, abandoned, reply) -> run(redis, ScriptOutputType.MULTI, keys, args, reply);
	}

	private <T> void run(RedisClusterAsyncCommands<byte[], byte[]> redis, ScriptOutputType type, byte[][] keys,
			byte[][] args, BiConsumer<@Nullable T, @Nullable Throwable> reply) {
		call(() -> redis.<T>evalsha(this.digest, type, keys, args), (value, failure) -> {
			if (failure instanceof RedisNoScriptException) {
				call(() -> redis.<T>eval(this.text, type, keys, args), reply);
			}
			else {
				reply.accept(value, failure);
			}
		});
	}

	/** The driver may not take it, but whoever counts on a reply gets one. */
	private static <T> void call(Supplier<RedisFuture<T>> command, BiConsumer<@Nullable T, @Nullable Throwable> reply) {
		RedisFuture<T> answer;
		try {
			answer = command.get();
		}
		catch (RuntimeException ex) {
			reply.accept(null, ex);
			return;
		}
		answer.whenComplete(reply);
	}

}
