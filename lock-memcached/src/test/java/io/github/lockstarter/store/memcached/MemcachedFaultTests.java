package io.github.lockstarter.store.memcached;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.testing.LocalMemcached;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Locks while memcached is killed, restarted, frozen and full.
 */
@Tag("faults")
class MemcachedFaultTests {

	private static final Duration SOON = Duration.ofSeconds(8);

	private static final LockKey KEY = new LockKey("fault", "taro");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	@Test
	@DisplayName("When memcached restarts, the holder is notified of the loss long before its deadline")
	void forgetful() {
		try (LocalMemcached server = LocalMemcached.started();
				MemcachedLockStore store = store(server);
				DefaultLockRegistry locks = new DefaultLockRegistry(store, LockOptions.of(Duration.ofSeconds(10)))) {
			AtomicInteger told = new AtomicInteger();
			Lease lease = locks.acquire(KEY, OPTIONS);
			lease.onLost(told::incrementAndGet);
			server.kill();
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.acquire(other(), OPTIONS));
			server.start();
			Awaitility.await().atMost(SOON).until(() -> !lease.isHeld());
			Awaitility.await().until(() -> told.get() == 1);
			Lease next = locks.acquire(KEY, OPTIONS.withWaitTime(SOON));
			lease.close();
			assertThat(next.isHeld()).isTrue();
			assertThat(next.fencingToken()).as("tokens begin anew").isLessThanOrEqualTo(lease.fencingToken());
			next.close();
			assertThat(server.items()).isZero();
		}
	}

	@RepeatedTest(2)
	@DisplayName("While memcached is frozen, all callers get an answer within the timeout, and no lock without an owner remains")
	void frozen() {
		try (LocalMemcached server = LocalMemcached.started();
				MemcachedLockStore store = store(server);
				DefaultLockRegistry locks = new DefaultLockRegistry(store, LockOptions.of(Duration.ofSeconds(10)))) {
			server.freeze();
			List<CompletableFuture<Optional<Lease>>> acquires = IntStream.range(0, 5)
				.mapToObj(
						(i) -> locks.tryAcquireAsync(new LockKey("fault", "frozen" + i), OPTIONS).toCompletableFuture())
				.toList();
			assertThat(acquires).allSatisfy((acquire) -> assertThat(acquire).failsWithin(SOON)
				.withThrowableThat()
				.withCauseInstanceOf(LockStoreException.class));
			server.thaw();
			Awaitility.await().atMost(SOON).until(() -> server.commands().size() >= 5);
			Awaitility.await().atMost(SOON).until(() -> server.items() == 0);
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> server.items() == 0);
			locks.acquire(KEY, OPTIONS).close();
		}
	}

	@RepeatedTest(2)
	@DisplayName("When memcached is frozen during a token's acquire, the grant is not undone, and the token can acquire the lock again")
	void tokenWhileFrozen() {
		try (LocalMemcached server = LocalMemcached.started(); MemcachedLockStore store = store(server)) {
			StoredLock lock = store.lock(KEY);
			AcquireCommand command = AcquireCommand.of("token", OPTIONS.ttl()).forSharedToken();
			server.freeze();
			assertThat(lock.acquire(command)).failsWithin(SOON)
				.withThrowableThat()
				.withCauseInstanceOf(LockStoreException.class);
			server.thaw();
			Awaitility.await().until(() -> server.hasItem("lock:fault:taro"));
			assertThat(lock.acquire(command)).succeedsWithin(SOON).isInstanceOf(Granted.class);
			// An undo ends within 500 ms.
			Awaitility.await().during(Duration.ofSeconds(1)).until(() -> server.hasItem("lock:fault:taro"));
		}
	}

	@Test
	@DisplayName("A grant whose answer was lost with the connection is undone over the next connection")
	void frozenForLong() {
		try (LocalMemcached server = LocalMemcached.started();
				MemcachedLockStore store = store(server);
				DefaultLockRegistry locks = new DefaultLockRegistry(store, LockOptions.of(Duration.ofSeconds(10)))) {
			server.freeze();
			CompletableFuture<Optional<Lease>> acquire = locks.tryAcquireAsync(KEY, OPTIONS).toCompletableFuture();
			assertThat(acquire).failsWithin(SOON);
			// The driver closes a silent connection after three seconds.
			Awaitility.await()
				.atMost(SOON)
				.untilAsserted(() -> assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> locks.acquire(other(), OPTIONS))
					.withStackTraceContaining("could not be sent to memcached"));
			server.thaw();
			Awaitility.await().atMost(SOON).until(() -> !server.commands().isEmpty());
			Awaitility.await().atMost(SOON).until(() -> server.items() == 0);
			Awaitility.await().atMost(SOON).ignoreExceptions().untilAsserted(() -> locks.acquire(KEY, OPTIONS).close());
		}
	}

	@Test
	@DisplayName("A release that was lost with the connection is repeated over the next connection")
	void lostRelease() {
		try (LocalMemcached server = LocalMemcached.started();
				MemcachedLockStore store = store(server);
				DefaultLockRegistry locks = new DefaultLockRegistry(store, LockOptions.of(Duration.ofSeconds(10)))) {
			Lease lease = locks.acquire(KEY, LockOptions.of(Duration.ofMinutes(10)));
			server.freeze();
			assertThat(lease.releaseAsync()).succeedsWithin(SOON);
			Awaitility.await()
				.atMost(SOON)
				.untilAsserted(() -> assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> locks.acquire(other(), OPTIONS))
					.withStackTraceContaining("could not be sent to memcached"));
			server.thaw();
			assertThat(server.hasItem("lock:fault:taro")).isTrue();
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> !server.hasItem("lock:fault:taro"));
		}
	}

	@Test
	@DisplayName("When one of several servers is unavailable, its locks are unavailable, and no other server replaces it")
	void severalServers() {
		try (LocalMemcached first = LocalMemcached.started();
				LocalMemcached second = LocalMemcached.started();
				MemcachedLockStore store = store(first, second);
				MemcachedLockStore elsewhere = store(second, first);
				DefaultLockRegistry locks = new DefaultLockRegistry(store, LockOptions.of(Duration.ofSeconds(10)));
				DefaultLockRegistry locksElsewhere = new DefaultLockRegistry(elsewhere,
						LockOptions.of(Duration.ofSeconds(10)))) {
			List<LockKey> keys = IntStream.range(0, 200).mapToObj((i) -> new LockKey("shared", "key" + i)).toList();
			List<Lease> leases = keys.stream().map((key) -> locks.acquire(key, OPTIONS)).toList();
			assertThat(keys).allSatisfy((key) -> assertThat(locksElsewhere.tryAcquire(key, OPTIONS)).isEmpty());
			long onSecond = second.items();
			assertThat(first.items()).as("of the other %d", onSecond).isBetween(60L, 140L).isEqualTo(200 - onSecond);
			first.kill();
			AtomicInteger broken = new AtomicInteger();
			AtomicInteger busy = new AtomicInteger();
			keys.forEach((key) -> {
				try {
					assertThat(locksElsewhere.tryAcquire(key, OPTIONS)).isEmpty();
					busy.incrementAndGet();
				}
				catch (LockStoreException ex) {
					broken.incrementAndGet();
				}
			});
			assertThat(busy).hasValue((int) onSecond);
			assertThat(broken).hasValue((int) (200 - onSecond));
			assertThat(second.items()).isEqualTo(onSecond);
			assertThatNoException().isThrownBy(() -> leases.forEach(Lease::close));
			assertThat(second.items()).isZero();
			first.start();
			Awaitility.await()
				.atMost(SOON)
				.ignoreExceptions()
				.untilAsserted(() -> keys.forEach((key) -> locks.acquire(key, OPTIONS).close()));
		}
	}

	@Test
	@DisplayName("When a server evicts a held lock for lack of memory, the next renewal notifies the holder")
	void eviction() {
		try (LocalMemcached server = LocalMemcached.started("-m", "2");
				MemcachedLockStore store = store(server);
				DefaultLockRegistry locks = new DefaultLockRegistry(store, LockOptions.of(Duration.ofSeconds(10)))) {
			Lease lease = locks.acquire(KEY, LockOptions.of(Duration.ofSeconds(15)));
			Awaitility.await().until(() -> {
				fill(server);
				return !server.hasItem("lock:fault:taro");
			});
			Awaitility.await().atMost(SOON).until(() -> !lease.isHeld());
			// The lease ends a moment before the next one may begin.
			locks.acquire(KEY, OPTIONS.withWaitTime(SOON)).close();
		}
	}

	@Test
	@DisplayName("A server without eviction (-M) refuses new locks when full, which is a store failure")
	void full() {
		try (LocalMemcached server = LocalMemcached.started("-m", "2", "-M");
				MemcachedLockStore store = store(server);
				DefaultLockRegistry locks = new DefaultLockRegistry(store, LockOptions.of(Duration.ofSeconds(10)))) {
			Lease lease = locks.acquire(KEY, OPTIONS);
			fill(server);
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.acquire(other(), OPTIONS))
				.havingRootCause()
				.withMessageContaining("OUT_OF_MEMORY");
			assertThat(lease.isHeld()).isTrue();
			assertThat(server.hasItem("lock:fault:taro")).isTrue();
			lease.close();
		}
	}

	@Test
	@DisplayName("A server without CAS is detected")
	void withoutCas() {
		try (LocalMemcached server = LocalMemcached.started("-C");
				MemcachedLockStore store = store(server);
				DefaultLockRegistry locks = new DefaultLockRegistry(store, LockOptions.of(Duration.ofSeconds(10)))) {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.acquire(KEY, OPTIONS))
				.havingRootCause()
				.withMessageContaining("without CAS (-C)");
		}
	}

	/** Stores more items of the size of a lock than the server has memory for. */
	private static void fill(LocalMemcached server) {
		String added = server.commands()
			.stream()
			.filter((command) -> command.startsWith("add "))
			.findFirst()
			.orElseThrow();
		int size = Integer.parseInt(added.substring(added.lastIndexOf(' ') + 1));
		for (int i = 0; i < 60; i++) {
			StringBuilder commands = new StringBuilder();
			for (int j = 0; j < 500; j++) {
				commands.append(
						"set fill:%05d:taro 0 0 %d noreply\r\n%s\r\n".formatted(500 * i + j, size, "x".repeat(size)));
			}
			server.ask(commands + "version");
		}
	}

	private static LockKey other() {
		return new LockKey("fault", "jiro");
	}

	private static MemcachedLockStore store(LocalMemcached... servers) {
		return new MemcachedLockStore(List.of(servers).stream().map(LocalMemcached::address).toList(), "lock",
				Duration.ofSeconds(2));
	}

}
