package io.github.lockstarter.benchmarks.http;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

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
 * The endpoints of WebFlux. Each implementation of a lock emits an action that releases
 * it, or nothing if the lock is held.
 */
@RestController
class ReactiveController {

	private final RedisReactiveCommands<String, String> redis;

	private final String release;

	private final RedissonReactiveClient redisson;

	/** Redisson distinguishes holders by numbers, by default those of their threads. */
	private final AtomicLong holders = new AtomicLong();

	private final Set<String> running = ConcurrentHashMap.newKeySet();

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
	Mono<ResponseEntity<?>> byHand(@RequestParam String key, @RequestParam long work) {
		return locked(lettuce(key), work, ReactiveController::conflict);
	}

	@PostMapping(Variant.Paths.BY_HAND_PROBLEM)
	Mono<ResponseEntity<?>> byHandProblem(@RequestParam String key, @RequestParam long work) {
		return locked(lettuce(key), work, Problem::rejected);
	}

	@PostMapping(Variant.Paths.LOCAL_SET)
	Mono<ResponseEntity<?>> localSet(@RequestParam String key, @RequestParam long work) {
		return Mono.defer(() -> this.running.add(key)
				? locked(lettuce(key), work, Problem::rejected).doFinally((signal) -> this.running.remove(key))
				: Mono.just(Problem.rejected()));
	}

	@PostMapping(Variant.Paths.BY_HAND_PROPERTY)
	Mono<ResponseEntity<?>> byHandProperty(Order order, @RequestParam long work) {
		return locked(lettuce(order.number()), work, ReactiveController::conflict);
	}

	@PostMapping(Variant.Paths.THIS)
	@ExclusiveRequest(name = "benchmark", key = "#key")
	Mono<ResponseEntity<String>> exclusive(@RequestParam String key, @RequestParam long work) {
		return Work.reactive(work).map(ResponseEntity::ok);
	}

	@PostMapping(Variant.Paths.THIS_PROPERTY)
	@ExclusiveRequest(name = "benchmark", key = "#order.number")
	Mono<ResponseEntity<String>> exclusive(Order order, @RequestParam long work) {
		return Work.reactive(work).map(ResponseEntity::ok);
	}

	@PostMapping(Variant.Paths.REDISSON)
	Mono<ResponseEntity<?>> redisson(@RequestParam String key, @RequestParam long work) {
		RLockReactive lock = this.redisson.getLock("redisson:" + key);
		long holder = this.holders.incrementAndGet();
		return locked(lock.tryLock(0, LockClient.TTL.toMillis(), TimeUnit.MILLISECONDS, holder)
			.filter(Boolean::booleanValue)
			.map((locked) -> lock.unlock(holder)), work, ReactiveController::conflict);
	}

	private Mono<Mono<Void>> lettuce(String key) {
		String owner = Long.toHexString(ThreadLocalRandom.current().nextLong());
		String[] keys = { "baseline:" + key };
		return this.redis.set(keys[0], owner, SetArgs.Builder.nx().px(LockClient.TTL))
			.map((ok) -> this.redis.evalsha(this.release, ScriptOutputType.INTEGER, keys, owner).then());
	}

	private static ResponseEntity<?> conflict() {
		return ResponseEntity.status(HttpStatus.CONFLICT).build();
	}

	private static Mono<ResponseEntity<?>> locked(Mono<Mono<Void>> acquire, long work,
			Supplier<ResponseEntity<?>> rejected) {
		return Mono
			.<ResponseEntity<?>, Mono<Void>>usingWhen(acquire, (release) -> Work.reactive(work).map(ResponseEntity::ok),
					(release) -> release)
			.switchIfEmpty(Mono.fromSupplier(rejected));
	}

}
