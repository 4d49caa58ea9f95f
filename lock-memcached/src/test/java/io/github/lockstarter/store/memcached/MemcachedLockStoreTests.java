package io.github.lockstarter.store.memcached;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.test.LockStoreContract;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.testing.LocalMemcached;

import static org.assertj.core.api.Assertions.assertThat;

class MemcachedLockStoreTests extends LockStoreContract {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static LocalMemcached server;

	private static MemcachedLockStore store;

	private static MemcachedLockStore other;

	private final LockKey key = new LockKey("memcached", UUID.randomUUID().toString());

	@BeforeAll
	static void start() {
		server = LocalMemcached.started();
		store = new MemcachedLockStore(List.of(server.address()), "contract", Duration.ofSeconds(5));
		other = new MemcachedLockStore(List.of(server.address()), "contract", Duration.ofSeconds(5));
	}

	@AfterAll
	static void stop() {
		store.close();
		other.close();
		server.close();
	}

	@Override
	protected LockStore store() {
		return store;
	}

	@Override
	protected LockStore otherInstance() {
		return other;
	}

	@Override
	protected long locksInStore() {
		return server.items("contract:contract:");
	}

	@Test
	@DisplayName("An uncontended cycle is two round trips plus one for the release, and a rejection is one")
	void countsCommands() {
		acquire("a");
		acquire("b");
		release("b");
		renew("a", TTL);
		release("a");
		String name = "contract:memcached:" + this.key.key();
		assertThat(server.commands().stream().filter((command) -> command.contains(name)))
			.map((command) -> command.substring(0, command.indexOf(' ')))
			.containsExactly("add", "gets", "add", "gets", "gets", "gets", "cas", "gets", "cas");
	}

	@Test
	@DisplayName("The time to live is sent in whole seconds, rounded up plus one, never 0; one that would be read as a date fails")
	void roundsUp() {
		assertThat(Item.of("a", Duration.ofMillis(1)).seconds()).isEqualTo(2);
		assertThat(Item.of("a", Duration.ofSeconds(1)).seconds()).isEqualTo(2);
		assertThat(Item.of("a", Duration.ofMillis(1001)).seconds()).isEqualTo(3);
		assertThat(Item.of("a", MemcachedLockStore.LONGEST_TTL).seconds()).isEqualTo(30 * 24 * 60 * 60 - 1);
		assertThat(ask(this.key, "a", MemcachedLockStore.LONGEST_TTL.plusMillis(1))).failsWithin(TTL)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockStoreException.class)
			.withStackTraceContaining("for at most 29d23h59m58s");
		acquire("brief", Duration.ofMillis(1));
		acquire("long", MemcachedLockStore.LONGEST_TTL);
		assertThat(server.commands()).anyMatch((command) -> command.matches("add \\S+" + this.key.key() + " 0 2 \\d+"));
	}

	@Test
	@DisplayName("At whatever fraction of memcached's second a lock is acquired, it does not expire before its time to live")
	void neverEarly() {
		Duration ttl = Duration.ofSeconds(1);
		Map<LockKey, Long> held = new HashMap<>();
		AtomicInteger taken = new AtomicInteger();
		Awaitility.await().pollInterval(Duration.ofMillis(20)).until(() -> {
			if (taken.incrementAndGet() <= 60) {
				LockKey each = new LockKey("early", this.key.key() + taken);
				held.put(each, System.nanoTime());
				join(ask(each, "a", ttl));
			}
			held.entrySet().removeIf((each) -> {
				boolean free = join(ask(each.getKey(), "b", ttl)) instanceof Granted;
				Duration after = Duration.ofNanos(System.nanoTime() - each.getValue());
				assertThat(free && after.compareTo(ttl) < 0).as("free after " + after).isFalse();
				return after.compareTo(ttl) >= 0;
			});
			return held.isEmpty();
		});
		assertThat(taken).hasValueGreaterThan(60);
	}

	@Test
	@DisplayName("Concurrent renewals and releases never affect another owner's lock, and one release succeeds")
	void concurrentChanges() {
		acquire("a");
		StoredLock lock = store.lock(this.key);
		List<CompletionStage<Boolean>> changes = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			changes.add(lock.renew("a", TTL));
			changes.add(lock.release("b", null));
		}
		for (int i = 0; i < changes.size(); i++) {
			assertThat(join(changes.get(i))).isEqualTo(i % 2 == 0);
		}
		List<CompletionStage<Boolean>> releases = List.of(lock.release("a", null), lock.release("a", null),
				lock.release("a", null));
		assertThat(releases.stream().filter((release) -> join(release))).hasSize(1);
		assertThat(acquire("next")).isInstanceOf(Granted.class);
	}

	@Test
	@DisplayName("An item that this library did not write is another owner's lock")
	void strangeItem() {
		for (String text : List.of("x", "a x", "a ", " 1", "a 99999999999999999999")) {
			LockKey each = new LockKey("strange", UUID.randomUUID().toString());
			server.ask("set contract:strange:%s 0 10 %d\r\n%s".formatted(each.key(), text.length(), text));
			assertThat(join(ask(each, "a", TTL))).isEqualTo(new Held(Duration.ZERO));
			assertThat(join(store.lock(each).release("a", null))).isFalse();
			assertThat(join(store.lock(each).remaining())).as("unknown").hasValue(Duration.ZERO);
		}
	}

	@Test
	@DisplayName("A key that is invalid or ambiguous in memcached is replaced by a digest")
	void digests() {
		MemcachedKeys keys = new MemcachedKeys("p");
		assertThat(keys.of(new LockKey("n", "taro"))).isEqualTo("p:n:taro");
		assertThat(keys.of(new LockKey("n", "x".repeat(246)))).isEqualTo("p:n:" + "x".repeat(246)).hasSize(250);
		for (LockKey hostile : List.of(new LockKey("n", "x".repeat(247)), new LockKey("n", "a b"),
				new LockKey("n", "é"), new LockKey("n n", "a"), new LockKey("n", "a\r\nflush_all"),
				new LockKey("sha256", "a"))) {
			assertThat(keys.of(hostile)).matches("p:sha256:[0-9a-f]{64}");
		}
	}

	private AcquireResult acquire(String owner) {
		return acquire(owner, TTL);
	}

	private AcquireResult acquire(String owner, Duration ttl) {
		return join(ask(this.key, owner, ttl));
	}

	private boolean renew(String owner, Duration ttl) {
		return join(store.lock(this.key).renew(owner, ttl));
	}

	private boolean release(String owner) {
		return join(store.lock(this.key).release(owner, null));
	}

	private static CompletionStage<AcquireResult> ask(LockKey key, String owner, Duration ttl) {
		return store.lock(key).acquire(AcquireCommand.of(owner, ttl));
	}

}
