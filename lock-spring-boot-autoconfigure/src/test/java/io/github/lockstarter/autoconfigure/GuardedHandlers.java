package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.UUID;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

import org.springframework.data.redis.core.StringRedisTemplate;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.registry.entry.LockSnapshot;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.testing.Jobs;
import io.github.lockstarter.testing.Jobs.Job;
import io.github.lockstarter.testing.RawRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sends requests to handlers with the lock name {@code handler}, ends their work in a
 * given way, and checks the lock during and after the work.
 */
final class GuardedHandlers {

	static final Duration TIMEOUT = Duration.ofSeconds(5);

	private final TestServer server;

	private final String keyPrefix;

	GuardedHandlers(TestServer server) {
		this.server = server;
		this.keyPrefix = server.context().getEnvironment().getProperty("lock.redis.key-prefix");
	}

	/** The ways in which a handler's work can end. */
	enum Ending {

		VALUE, ERROR, CANCEL, DISCONNECT, TIMEOUT,

		/** The client disconnects after the first part of the response. */
		DISCONNECT_MIDWAY

	}

	/**
	 * Checks one combination of handler and ending.
	 * @param outlivesRequest whether the work continues after its request has ended
	 */
	void check(String path, Ending ending, boolean outlivesRequest) throws Exception {
		String key = UUID.randomUUID().toString();
		Job job = job(key);
		try (RawRequest first = RawRequest.post(this.server.port(), path + "?key=" + key)) {
			job.awaitBegun();
			assertHeld(path, key);
			switch (ending) {
				case VALUE -> {
					job.finish();
					assertThat(first.readResponse()).containsPattern("^HTTP/1.1 (200|302)");
				}
				case ERROR -> {
					job.fail();
					first.readResponse();
				}
				case CANCEL -> {
					job.cancel();
					first.readResponse();
				}
				case DISCONNECT, DISCONNECT_MIDWAY -> {
					if (ending == Ending.DISCONNECT_MIDWAY) {
						first.awaitPart("first");
						if (path.endsWith("-sse")) {
							// The rest of the event would be written to a closed
							// connection.
							first.awaitPart("\n\n");
						}
					}
					first.reset();
					if (outlivesRequest) {
						assertHeld(path, key);
						job.finish();
					}
					awaitFree(key);
				}
				case TIMEOUT -> {
					assertThat(first.readResponse()).startsWith("HTTP/1.1 503");
					if (outlivesRequest) {
						assertHeld(path, key);
						job.finish();
					}
					awaitFree(key);
				}
			}
			assertFree(key);
		}
		finally {
			job.finish();
		}
		assertNothingLeft(key);
	}

	/** Checks that a handler is not called before its lock is granted. */
	void checkWait(String path) throws Exception {
		String key = UUID.randomUUID().toString();
		Job job = job(key);
		job.finish();
		StoredLock lock = this.server.context().getBean(LockStore.class).lock(new LockKey("handler", key));
		lock.acquire(AcquireCommand.of("another instance", Duration.ofMinutes(1))).toCompletableFuture().join();
		try (RawRequest request = RawRequest.post(this.server.port(), path + "?key=" + key)) {
			awaitWaiting(key);
			assertThat(job.hasBegun()).isFalse();
			lock.release("another instance", null).toCompletableFuture().join();
			assertThat(request.readResponse()).containsPattern("^HTTP/1.1 (200|302)");
			assertThat(job.hasBegun()).isTrue();
		}
		assertFree(key);
		assertNothingLeft(key);
	}

	/** Checks that a waiting request whose client disconnects stops waiting. */
	void checkDisconnected(String path) throws Exception {
		String key = UUID.randomUUID().toString();
		Job job = job(key);
		StoredLock lock = this.server.context().getBean(LockStore.class).lock(new LockKey("handler", key));
		lock.acquire(AcquireCommand.of("another instance", Duration.ofMinutes(1))).toCompletableFuture().join();
		try (RawRequest request = RawRequest.post(this.server.port(), path + "?key=" + key)) {
			awaitWaiting(key);
			request.reset();
			Awaitility.await().until(() -> waiters() == 0);
		}
		lock.release("another instance", null).toCompletableFuture().join();
		assertFree(key);
		assertThat(job.hasBegun()).isFalse();
	}

	/** Returns the number of requests at this instance that wait for locks. */
	int waiters() {
		return locksInUse().mapToInt((lock) -> lock.waiting().size()).sum();
	}

	/**
	 * Returns the number of requests at this instance that wait for the lock of a key.
	 */
	int waiters(LockKey key) {
		return locksInUse().filter((lock) -> lock.key().equals(key)).mapToInt((lock) -> lock.waiting().size()).sum();
	}

	private Stream<LockSnapshot> locksInUse() {
		return new LockInspector((DefaultLockRegistry) locks()).snapshot().stream();
	}

	/** Waits until an instance waits for a lock that the other one holds. */
	void awaitWaiting(String key) {
		Awaitility.await().until(() -> !redis().keys(this.keyPrefix + ":waiting:{*:handler:" + key).isEmpty());
	}

	Job job(String key) {
		return this.server.context().getBean(Jobs.class).get(key);
	}

	void assertHeld(String path, String key) throws Exception {
		assertThat(redis().hasKey(redisKey(key))).as("held in Redis").isTrue();
		assertThat(this.server.post(path + "?key=" + key).statusCode()).isEqualTo(409);
	}

	void assertFree(String key) {
		assertThat(tryAcquire(key)).as("free").isTrue();
	}

	void awaitFree(String key) {
		Awaitility.await().until(() -> tryAcquire(key));
	}

	void assertNothingLeft(String key) {
		assertThat(redis().keys(this.keyPrefix + ":*" + key + "*")).isEmpty();
	}

	private boolean tryAcquire(String key) {
		return locks().tryAcquire(new LockKey("handler", key), LockOptions.of(Duration.ofSeconds(10))).map((lease) -> {
			lease.close();
			return true;
		}).orElse(false);
	}

	private String redisKey(String key) {
		return redis().keys(this.keyPrefix + ":{*:handler:" + key).stream().findFirst().orElse("none");
	}

	private LockRegistry locks() {
		return this.server.context().getBean(LockRegistry.class);
	}

	private StringRedisTemplate redis() {
		return this.server.context().getBean(StringRedisTemplate.class);
	}

}
