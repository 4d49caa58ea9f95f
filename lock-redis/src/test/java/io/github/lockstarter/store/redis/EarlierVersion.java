package io.github.lockstarter.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

import io.github.lockstarter.LockKey;

/**
 * An instance of an application with the version of this library of commit b92d35b, as
 * Redis and other instances see it: with the exact scripts, keys and subscription. It
 * does not change with the library.
 */
final class EarlierVersion implements AutoCloseable {

	private static final RedisScript<Long> ACQUIRE = RedisScript.of("""
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
			""", Long.class);

	private static final RedisScript<Long> HAND_OVER = RedisScript.of("""
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
			""", Long.class);

	private static final RedisScript<Long> RELEASE = RedisScript.of("""
			local call, lock, waiting = redis.call, KEYS[1], KEYS[2]
			if call('get', lock) ~= ARGV[1] then
			  return 0
			end
			if call('del', lock, waiting) == 2 then
			  redis.pcall('publish', ARGV[2], ' ' .. lock)
			end
			return 1
			""", Long.class);

	@SuppressWarnings("rawtypes")
	private static final RedisScript<List> ACQUIRE_OR_RESULT = RedisScript.of("""
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
			""".formatted(ACQUIRE.getScriptAsString()), List.class);

	private static final RedisScript<Long> RELEASE_WITH_RESULT = RedisScript.of("""
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
			""", Long.class);

	private static final String TTL = Long.toString(Duration.ofSeconds(30).toMillis());

	private final String instance = UUID.randomUUID().toString();

	/** The keys of the locks whose release this instance was notified of. */
	private final List<String> woken = Collections.synchronizedList(new ArrayList<>());

	private final StringRedisTemplate redis;

	private final RedisConnection subscription;

	private final String channel;

	private final String lock;

	private final String fence;

	private final String waiting;

	private final String result;

	/**
	 * Creates an instance that waits for a lock. The keys have the same form in every
	 * version.
	 */
	EarlierVersion(StringRedisTemplate redis, String prefix, LockKey key, String resultName) {
		RedisKeys keys = new RedisKeys(prefix);
		byte[] lock = keys.lock(key);
		this.redis = redis;
		this.channel = prefix + ":released";
		this.lock = text(lock);
		this.fence = text(keys.fence(lock));
		this.waiting = text(keys.waiting(lock));
		this.result = text(keys.result(lock, resultName));
		this.subscription = redis.getRequiredConnectionFactory().getConnection();
		this.subscription.subscribe((message, pattern) -> received(text(message.getBody())),
				this.channel.getBytes(StandardCharsets.UTF_8));
	}

	private void received(String message) {
		if (!message.startsWith(this.instance) && message.substring(message.indexOf(' ') + 1).equals(this.lock)) {
			this.woken.add(this.lock);
		}
	}

	/** Returns the number of notifications for the lock. */
	int wakeUps() {
		return this.woken.size();
	}

	/**
	 * Returns the fencing token, or the negated remaining milliseconds of the holder; in
	 * that case this instance waits.
	 */
	long acquireOrWait(String owner) {
		return this.redis.execute(ACQUIRE, List.of(this.lock, this.fence, this.waiting), owner, TTL, this.instance);
	}

	boolean release(String owner) {
		return this.redis.execute(RELEASE, List.of(this.lock, this.waiting), owner, this.channel) == 1;
	}

	/** Returns the fencing token of the successor, or 0 if other instances wait. */
	long handOver(String owner, String successor) {
		return this.redis.execute(HAND_OVER, List.of(this.lock, this.fence, this.waiting), owner, successor, TTL,
				this.instance, this.channel);
	}

	boolean release(String owner, String result) {
		return this.redis.execute(RELEASE_WITH_RESULT, List.of(this.lock, this.fence, this.waiting, this.result), owner,
				this.channel, result, TTL, "1") == 1;
	}

	/** Returns the result of any holder, whatever its age. */
	String result(String owner) {
		List<?> reply = this.redis.execute(ACQUIRE_OR_RESULT, List.of(this.lock, this.fence, this.waiting, this.result),
				owner, TTL, this.instance, "0", "0");
		return String.valueOf(reply.get(2));
	}

	@Override
	public void close() {
		this.subscription.close();
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

}
