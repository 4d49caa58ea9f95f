package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.Base16;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.NestedMultiOutput;
import org.jspecify.annotations.Nullable;

/**
 * A Lua script that runs in one round trip. It is called by its digest, and its text is
 * sent only to a server that has not loaded it.
 * <p>
 * The keys are the lock, the fence, the set of its waiters, and a result. The release
 * without a result has only the lock and the set. A waiter in this context is an instance
 * of the application, which is notified of a release through a channel, by a message in
 * the format of {@link ReleaseChannel}. A script that is not allowed to publish reports
 * it in its answer.
 * <p>
 * The value of a lock is its owner and an exclamation mark. The first waiter appends an
 * asterisk. {@link CompareAndDelete} does not find the value then, and the lock is
 * released by a script, which notifies the waiters. A waiter acquires again when the
 * lease that it was told of has expired, so that it need not be known to the next holder.
 * Without an exclamation mark, the lock is held by a version of this library that does
 * not know the asterisk.
 * <p>
 * Managed servers check scripts before they run them: a key has to be {@code KEYS} with a
 * literal number, a command has to be a literal, and {@code unpack} is not available. The
 * scripts for one lock meet these rules. The scripts for several locks are not used on
 * servers that refuse them.
 */
enum Script {

	/**
	 * Answers with the fencing token, or, if another owner holds the lock, with the
	 * negated remaining milliseconds of its lease: at least 1, or 0 if the lock does not
	 * expire. A given instance is added to the waiters. The same owner is granted the
	 * lock again, because a driver may repeat a command after a reconnection. The owner
	 * itself may repeat it as well; its lease is then at least as long as it asked for.
	 */
	ACQUIRE("""
			if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
			  return redis.call('incr', KEYS[2])
			end
			local remaining = redis.call('pttl', KEYS[1])
			remaining = remaining == 0 and 1 or math.max(remaining, 0)
			local holder = redis.call('get', KEYS[1])
			if holder == ARGV[1] or holder == ARGV[1] .. '*' then
			  redis.call('pexpire', KEYS[1], math.max(remaining, ARGV[2]))
			  return redis.call('incr', KEYS[2])
			end
			if (ARGV[3] or '') ~= '' then
			  if holder and string.sub(holder, -1) == '!' then
			    redis.call('set', KEYS[1], holder .. '*', 'KEEPTTL')
			  end
			  redis.call('sadd', KEYS[3], ARGV[3])
			  redis.call('pexpire', KEYS[3], remaining + 10000)
			end
			return -remaining
			"""),

	/**
	 * Acquires like {@link #ACQUIRE} on a server that has no memory left. It begins with
	 * a write that changes nothing: a server refuses only the first write of a script for
	 * want of memory. A lock is small and temporary, and must not fail because other data
	 * has filled the server.
	 */
	ACQUIRE_WITHOUT_MEMORY("redis.call('srem', KEYS[3], '')\n" + ACQUIRE.text),

	/**
	 * Acquires several locks, all or none. Answers with the fencing token of each, or, if
	 * another owner holds one of them, with the negated position of the first such lock
	 * and the remaining milliseconds of its lease. The keys are the lock and the fence of
	 * each in turn, the arguments are the owner and the time to live. The same owners are
	 * granted the locks again, as by {@link #ACQUIRE}.
	 */
	ACQUIRE_ALL("""
			local held = {}
			for i = 1, #KEYS, 2 do
			  held[i] = redis.call('get', KEYS[i])
			  if held[i] and held[i] ~= ARGV[i] and held[i] ~= ARGV[i] .. '*' then
			    local remaining = redis.call('pttl', KEYS[i])
			    return { -(i + 1) / 2, remaining == 0 and 1 or math.max(remaining, 0) }
			  end
			end
			local tokens = {}
			for i = 1, #KEYS, 2 do
			  if held[i] then
			    redis.call('pexpire', KEYS[i], math.max(redis.call('pttl', KEYS[i]), ARGV[i + 1]))
			  else
			    redis.call('set', KEYS[i], ARGV[i], 'PX', ARGV[i + 1])
			  end
			  tokens[#tokens + 1] = redis.call('incr', KEYS[i + 1])
			end
			return tokens
			"""),

	/**
	 * Is {@link #ACQUIRE_ALL} on a server that has no memory left, like
	 * {@link #ACQUIRE_WITHOUT_MEMORY}. The write fails if the lock is held.
	 */
	ACQUIRE_ALL_WITHOUT_MEMORY("redis.pcall('srem', KEYS[1], '')\n" + ACQUIRE_ALL.text),

	/**
	 * Ends a turn. Answers with the fencing token of the successor; with 0 if the lock
	 * was released because other instances wait, and this instance was added to the
	 * waiters; with -1 if the owner did not hold the lock. A driver may repeat the
	 * script: a successor that holds the lock already keeps it, even if other instances
	 * wait.
	 */
	HAND_OVER("""
			local owner, successor, ttl, instance, channel = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
			local holder = redis.call('get', KEYS[1])
			if holder == successor or holder == successor .. '*' then
			  redis.call('pexpire', KEYS[1], math.max(redis.call('pttl', KEYS[1]), ttl))
			  return redis.call('incr', KEYS[2])
			end
			if holder ~= owner and holder ~= owner .. '*' then
			  return -1
			end
			redis.call('srem', KEYS[3], instance)
			if redis.call('exists', KEYS[3]) == 0 then
			  redis.call('set', KEYS[1], successor, 'PX', ttl)
			  return redis.call('incr', KEYS[2])
			end
			redis.call('del', KEYS[1], KEYS[3])
			local published = redis.pcall('publish', channel, instance .. ' ' .. KEYS[1])
			redis.call('sadd', KEYS[3], instance)
			redis.call('pexpire', KEYS[3], 10000)
			return type(published) == 'number' and 0 or -2
			"""),

	/**
	 * Answers for each key with 1 if the owner held the lock, otherwise with 0. The
	 * arguments are the owner and the time to live of each in turn.
	 */
	RENEW("""
			local renewed = {}
			for i = 1, #KEYS do
			  renewed[i] = 0
			  local holder, owner = redis.pcall('get', KEYS[i]), ARGV[2 * i - 1]
			  if holder == owner or holder == owner .. '*' then
			    local remaining = redis.call('pttl', KEYS[i])
			    renewed[i] = redis.call('pexpire', KEYS[i], math.max(remaining, ARGV[2 * i]))
			  end
			end
			return renewed
			"""),

	/** Renews one lock, like {@link #RENEW}. */
	RENEW_ONE("""
			local holder = redis.pcall('get', KEYS[1])
			if holder ~= ARGV[1] and holder ~= ARGV[1] .. '*' then
			  return 0
			end
			local remaining = redis.call('pttl', KEYS[1])
			return redis.call('pexpire', KEYS[1], math.max(remaining, ARGV[2]))
			"""),

	/** Answers with 1 if the owner held the lock, otherwise with 0. */
	RELEASE("""
			local holder = redis.call('get', KEYS[1])
			if holder ~= ARGV[1] and holder ~= ARGV[1] .. '*' then
			  return 0
			end
			if redis.call('del', KEYS[1], KEYS[2]) == 2 then
			  local published = redis.pcall('publish', ARGV[2], ' ' .. KEYS[1])
			  return type(published) == 'number' and 1 or 2
			end
			return 1
			"""),

	/**
	 * Keeps the lock unavailable to all callers for a while. Answers with 1 if the owner
	 * held it, otherwise with 0. A driver may repeat the script, which does not extend
	 * that time. Waiters are notified, because the lock is free earlier than they expect.
	 * A Redis without memory refuses a script that first sets a value, but not one that
	 * first deletes one.
	 */
	RELEASE_AFTER("""
			local owner, channel, ended, time = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
			local holder = redis.call('get', KEYS[1])
			if holder == ended or holder == ended .. '*' then
			  return 1
			end
			if holder ~= owner and holder ~= owner .. '*' then
			  return 0
			end
			local awaited = redis.call('del', KEYS[2]) == 1
			redis.call('set', KEYS[1], ended, 'PX', time)
			if awaited then
			  local published = redis.pcall('publish', channel, ' ' .. KEYS[1])
			  return type(published) == 'number' and 1 or 2
			end
			return 1
			"""),

	/**
	 * Answers with 0, the fencing token of a result, the result and its age in
	 * microseconds, if a result is accepted. Otherwise answers with the answer of
	 * {@link #ACQUIRE} and the last fencing token. A result is preceded by the time of
	 * storing and the fencing token. A value without these was not written by this
	 * library, and counts as older than all others. It is returned to a caller that
	 * accepts results of any age, which checks it. Without a lowest fencing token, no
	 * result is accepted.
	 */
	ACQUIRE_OR_RESULT("""
			local since, maxAge = tonumber(ARGV[4]), tonumber(ARGV[5])
			local holder = redis.call('get', KEYS[1])
			local owned = holder == ARGV[1] or holder == ARGV[1] .. '*'
			local found = since and not owned and redis.pcall('get', KEYS[4])
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
			local number = acquire()
			local last = redis.pcall('get', KEYS[2])
			return { number, type(last) == 'string' and tonumber(last) or 0 }
			""".formatted(ACQUIRE.text)),

	/**
	 * Is {@link #ACQUIRE_OR_RESULT} on a server that has no memory left, like
	 * {@link #ACQUIRE_WITHOUT_MEMORY}.
	 */
	ACQUIRE_OR_RESULT_WITHOUT_MEMORY("redis.call('srem', KEYS[3], '')\n" + ACQUIRE_OR_RESULT.text),

	/**
	 * Keeps a result and releases the lock. Answers with 1 if the owner held it,
	 * otherwise with 0. Unless it is to be kept in any case, a result is kept only if an
	 * instance waits. A server without memory for the result releases the lock
	 * nevertheless, and adds {@link #RESULT_DROPPED} to its answer. The result is written
	 * first, because a server lets a script that has begun to write use any amount of
	 * memory. The last fencing token is kept with the result: several locks share one
	 * fence, so an instance that waited for the holder may have received a later token
	 * than the holder's.
	 */
	RELEASE_WITH_RESULT("""
			local owner, channel, text, keep, always = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
			local holder = redis.call('get', KEYS[1])
			if holder ~= owner and holder ~= owner .. '*' then
			  return 0
			end
			local time = redis.pcall('time')
			local awaited = redis.call('exists', KEYS[3]) == 1
			local dropped = 0
			if (awaited or always == '1') and not time.err then
			  local now = string.format('%.0f', time[1] * 1000000 + time[2])
			  local token = redis.pcall('get', KEYS[2])
			  token = type(token) == 'string' and token or '0'
			  if redis.pcall('set', KEYS[4], now .. ' ' .. token .. ' ' .. text, 'PX', keep).err then
			    dropped = 2
			  end
			end
			redis.call('del', KEYS[1], KEYS[3])
			if awaited then
			  local published = redis.pcall('publish', channel, ' ' .. KEYS[1])
			  return dropped + (type(published) == 'number' and 1 or 2)
			end
			return dropped + 1
			"""),

	/**
	 * Runs {@link #ACQUIRE} and {@link #RELEASE} for several locks. Answers for each with
	 * its number, or with an error message. There are three keys and four arguments for
	 * each lock; the first argument is the name of the script.
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
			local answers, keys, args = {}, {}, {}
			for i = 1, #KEYS / 3 do
			  local key, arg = 3 * i - 2, 4 * i - 3
			  keys[1], keys[2], keys[3] = KEYS[key], KEYS[key + 1], KEYS[key + 2]
			  args[1], args[2], args[3] = ARGV[arg + 1], ARGV[arg + 2], ARGV[arg + 3]
			  local done, answer = pcall(scripts[ARGV[arg]], keys, args)
			  if done then
			    answers[i] = answer
			  else
			    answers[i] = type(answer) == 'table' and answer.err or answer
			  end
			end
			return answers
			""".formatted(ACQUIRE.text, RELEASE.text));

	/** The answer of a release that was not allowed to publish it. */
	static final long RELEASED_UNPUBLISHED = 2;

	/** What a release adds to its answer if there was no memory for the result. */
	static final long RESULT_DROPPED = 2;

	/** The answer of the end of a turn that was not allowed to publish the release. */
	static final long HANDED_OVER_UNPUBLISHED = -2;

	/** The number of keys for each lock in a {@link #BATCH}. */
	static final int BATCH_KEYS = 3;

	/** The number of arguments for each lock in a {@link #BATCH}. */
	static final int BATCH_ARGS = 4;

	private final String text;

	private final String digest;

	Script(String text) {
		this.text = text;
		this.digest = Base16.digest(text.getBytes(StandardCharsets.UTF_8));
	}

	/** Returns the text of the script. */
	String text() {
		return this.text;
	}

	/** Returns the digest by which a server knows the script. */
	String digest() {
		return this.digest;
	}

	/** Returns the argument that names this script in a {@link #BATCH}. */
	byte[] nameInBatch() {
		return name().getBytes(StandardCharsets.US_ASCII);
	}

	/**
	 * Loads the scripts into the server before the first calls. Completes when the server
	 * has loaded them, or loading has failed.
	 */
	static CompletableFuture<?> loadAll(RedisClusterAsyncCommands<byte[], byte[]> redis) {
		CompletableFuture<?>[] loads = Stream.of(values())
			.map((script) -> redis.scriptLoad(script.text).toCompletableFuture())
			.toArray(CompletableFuture<?>[]::new);
		return CompletableFuture.allOf(loads).exceptionally((failure) -> null);
	}

	/** Returns a call of a script that answers with a number. */
	StoreCommand<Long> with(byte[][] keys, byte[]... args) {
		return (redis, abandoned, reply) -> send(redis, keys, args, reply);
	}

	/** Calls a script that answers with a number. */
	void send(RedisClusterAsyncCommands<byte[], byte[]> redis, byte[][] keys, byte[][] args,
			BiConsumer<@Nullable Long, @Nullable Throwable> reply) {
		new ScriptCommand<>(LettuceConnector.connection(redis), new ScriptArgs(this, keys, args), Script::number, reply)
			.send();
	}

	/** Returns a call of a script that answers for each of some keys. */
	<T> StoreCommand<List<T>> forEachOf(byte[][] keys, byte[]... args) {
		return (redis, abandoned, reply) -> new ScriptCommand<>(LettuceConnector.connection(redis),
				new ScriptArgs(this, keys, args), Script::<T>list, reply)
			.send();
	}

	private static CommandOutput<byte[], byte[], Long> number() {
		return new IntegerOutput<>(ByteArrayCodec.INSTANCE);
	}

	@SuppressWarnings({ "unchecked", "rawtypes" })
	private static <T> CommandOutput<byte[], byte[], List<T>> list() {
		return (CommandOutput) new NestedMultiOutput<>(ByteArrayCodec.INSTANCE);
	}

}
