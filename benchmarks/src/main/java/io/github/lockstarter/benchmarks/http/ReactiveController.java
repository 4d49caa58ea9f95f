package io.github.lockstarter.benchmarks.http;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.reactive.RedisReactiveCommands;
import org.redisson.api.RLockReactive;
import org.redisson.api.RedissonClient;
import org.redisson.api.RedissonReactiveClient;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.benchmarks.candidate.LettuceLocks;
import io.github.lockstarter.benchmarks.candidate.LockClient;

/**
 * The endpoints of WebFlux. Whatever makes a lock gives the way to release it, or nothing
 * when the lock is held.
 */
@RestController
class ReactiveController {

	private final RedisReactiveCommands<String, String> redis;

	private final String release;

	private final RedissonReactiveClient redisson;

	/** Redisson tells holders apart by numbers; by the thread's where it is not told. */
	private final AtomicLong holders = new AtomicLong();

	ReactiveController(StatefulRedisConnection<String, String> connection, RedissonClient redisson) {
		this.redis = connection.reactive();
		this.release = connection.sync().scriptLoad(LettuceLocks.RELEASE);
		this.redisson = redisson.reactive();
	}

	@PostMapping(Variant.Paths.NONE)
	Mono<ResponseEntity<String>> none(@RequestParam String key, @RequestParam long work) {
		return Work.reactive(work).map(ResponseEntity::ok);
	}

	@PostMapping(Variant.Paths.BY_HAND)
	Mono<ResponseEntity<String>> byHand(@RequestParam String key, @RequestParam long work) {
		String owner = Long.toHexString(ThreadLocalRandom.current().nextLong());
		String[] keys = { "floor:" + key };
		return locked(this.redis.set(keys[0], owner, SetArgs.Builder.nx().px(LockClient.TTL))
			.map((ok) -> this.redis.evalsha(this.release, ScriptOutputType.INTEGER, keys, owner).then()), work);
	}

	@PostMapping(Variant.Paths.THIS)
	@ExclusiveRequest(name = "benchmark", key = "#key")
	Mono<ResponseEntity<String>> exclusive(@RequestParam String key, @RequestParam long work) {
		return Work.reactive(work).map(ResponseEntity::ok);
	}

	@PostMapping(Variant.Paths.REDISSON)
	Mono<ResponseEntity<String>> redisson(@RequestParam String key, @RequestParam long work) {
		RLockReactive lock = this.redisson.getLock("redisson:" + key);
		long holder = this.holders.incrementAndGet();
		return locked(lock.tryLock(0, LockClient.TTL.toMillis(), TimeUnit.MILLISECONDS, holder)
			.filter(Boolean::booleanValue)
			.map((locked) -> lock.unlock(holder)), work);
	}

	private static Mono<ResponseEntity<String>> locked(Mono<Mono<Void>> acquire, long work) {
		return Mono.usingWhen(acquire, (release) -> Work.reactive(work).map(ResponseEntity::ok), (release) -> release)
			.defaultIfEmpty(ResponseEntity.status(HttpStatus.CONFLICT).build());
	}

}
