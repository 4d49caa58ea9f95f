package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.MeterRegistry;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockDeadlockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;
import io.github.lockstarter.store.TokenStoredLock;
import io.github.lockstarter.testing.LocalPostgreSql;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Two instances of an application whose locks are in Redis, except for those that choose
 * the database. The name of each lock ends with its store.
 */
@ExtendWith(OutputCaptureExtension.class)
class TwoStoresTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static LocalRedis redis;

	private static LocalPostgreSql database;

	private static TestServer server;

	private static TestServer other;

	private static Work work;

	@BeforeAll
	static void start() {
		redis = LocalRedis.started();
		database = LocalPostgreSql.started();
		server = instance("first");
		other = instance("second");
		work = server.context().getBean(Work.class);
	}

	private static TestServer instance(String name) {
		List<String> properties = new ArrayList<>(List.of("spring.data.redis.port=" + redis.port(),
				"spring.datasource.url=" + database.url() + "&ApplicationName=" + name,
				"lock.jdbc.initialize-schema=always", "lock.jdbc.command-timeout=10s", "lock.redis.command-timeout=10s",
				"management.endpoints.web.exposure.include=*", "management.endpoint.locks.access=unrestricted",
				"management.endpoint.locks.show-keys=always", "management.endpoint.health.show-details=always",
				"management.health.redis.enabled=false", "management.health.db.enabled=false",
				"management.endpoint.health.group.payments.include=lockStore/jdbc",
				"lock.names.open-redis.on-store-failure=proceed"));
		List.of("reject", "wait", "share", "skip", "replay", "inner", "outer", "second", "keys", "kept")
			.forEach((lock) -> properties.add("lock.names." + lock + "-jdbc.store=jdbc"));
		return TestServer.start(new Class<?>[] { Application.class }, properties.toArray(String[]::new));
	}

	@AfterAll
	static void end() {
		server.close();
		other.close();
		redis.close();
		database.close();
	}

	private static LockRegistry locks() {
		return server.context().getBean(LockRegistry.class);
	}

	private static LockRegistry elsewhere() {
		return other.context().getBean(LockRegistry.class);
	}

	private static boolean isHeld(String store, String name, String key) {
		LockStore wanted = server.context().getBean(LockStores.class).byName().get(store);
		return ((TokenStoredLock) wanted.lock(new LockKey(name, key))).remaining()
			.toCompletableFuture()
			.join()
			.isPresent();
	}

	private static LockKey key(String name) {
		return new LockKey(name, "1");
	}

	private static LockOptions options(Duration wait) {
		return LockOptions.of(Duration.ofSeconds(10)).withWaitTime(wait);
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "jdbc" })
	@DisplayName("A free lock is granted in its own store, and is free again after the call")
	void free(String store) throws Exception {
		String another = store.equals("redis") ? "jdbc" : "redis";
		work.during("free", () -> {
			assertThat(isHeld(store, "reject-" + store, "free")).isTrue();
			assertThat(isHeld(another, "reject-" + store, "free")).isFalse();
			return "done";
		});
		assertThat(work.reject(store, "free")).isEqualTo("done");
		assertThat(isHeld(store, "reject-" + store, "free")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "jdbc" })
	@DisplayName("A lock that another instance holds is rejected, waited for, or skipped, as the annotation says")
	void held(String store) throws Exception {
		try (Lease lease = elsewhere().acquire(new LockKey("reject-" + store, "held"), options(Duration.ZERO))) {
			assertThat(lease.isHeld()).isTrue();
			assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> work.reject(store, "held"));
		}
		try (Lease lease = elsewhere().acquire(new LockKey("skip-" + store, "held"), options(Duration.ZERO))) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(work.skip(store, "held")).isNull();
		}
		Lease lease = elsewhere().acquire(new LockKey("wait-" + store, "held"), options(Duration.ZERO));
		CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> work.waiting(store, "held"));
		Awaitility.await().until(() -> server.context().getBean(LockInspector.class).waiters("wait-" + store) == 1);
		lease.close();
		assertThat(waiting).succeedsWithin(LONG).isEqualTo("done");
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "jdbc" })
	@DisplayName("A result is shared with a waiter of another instance through the store of the lock")
	void shared(String store) throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		String lockName = "share-" + store;
		other.context().getBean(Work.class).during("shared", () -> {
			end.await();
			return "of the other instance";
		});
		CompletableFuture<String> winner = CompletableFuture
			.supplyAsync(() -> other.context().getBean(Work.class).share(store, "shared"));
		Awaitility.await().until(() -> other.context().getBean(LockInspector.class).held(lockName) == 1);
		CompletableFuture<String> loser = CompletableFuture.supplyAsync(() -> work.share(store, "shared"));
		Awaitility.await().until(() -> server.context().getBean(LockInspector.class).waiters(lockName) == 1);
		end.countDown();
		assertThat(winner).succeedsWithin(LONG).isEqualTo("of the other instance");
		assertThat(loser).succeedsWithin(LONG).isEqualTo("of the other instance");
	}

	@Test
	@DisplayName("While Redis does not answer, only its locks fail: locks and results in the database are not affected")
	void withoutRedis(CapturedOutput output) throws Exception {
		assertThat(work.replay("paid before")).isEqualTo("paid before 1");
		assertThat(server.post("/redis/1").statusCode()).isEqualTo(200);
		Lease held = locks().acquire(new LockKey("wait-jdbc", "renewed"), LockOptions.of(Duration.ofSeconds(10)));
		int before = output.length();
		redis.freeze();
		try {
			List<CompletableFuture<HttpResponse<String>>> asking = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				asking.add(server.postAsync("/redis/frozen" + i));
			}
			for (int i = 0; i < 20; i++) {
				assertThat(server.post("/jdbc/" + i).statusCode()).isEqualTo(200);
			}
			assertThat(work.replay("paid before")).isEqualTo("paid before 1");
			assertThat(work.replay("paid meanwhile")).isEqualTo("paid meanwhile 1");
			assertThat(work.replay("paid meanwhile")).isEqualTo("paid meanwhile 1");
			assertThat(asking).as("still waiting").noneMatch(CompletableFuture::isDone);
			assertThat(asking).allSatisfy((
					each) -> assertThat(each).succeedsWithin(LONG).extracting(HttpResponse::statusCode).isEqualTo(503));
			assertThat(work.open("frozen")).as("on-store-failure of its name").isEqualTo("done");
			assertThat(health("redis")).isEqualTo("DOWN");
			assertThat(health("jdbc")).isEqualTo("UP");
			assertThat(server.get("/actuator/health").statusCode()).isEqualTo(503);
			assertThat(server.get("/actuator/health/payments").statusCode()).as("a group with one store")
				.isEqualTo(200);
			assertThat(output.toString().substring(before)).contains("The lock store 'redis' fails")
				.doesNotContain("The lock store 'jdbc'");
			assertThat(errors("reject-redis", "redis")).isGreaterThanOrEqualTo(20);
			assertThat(held.isHeld()).as("renewed meanwhile").isTrue();
		}
		finally {
			redis.thaw();
		}
		Awaitility.await().until(() -> server.post("/redis/1").statusCode() == 200);
		Awaitility.await()
			.until(() -> output.toString().substring(before).contains("The lock store 'redis' answers again"));
		held.close();
	}

	@Test
	@DisplayName("While the database does not answer, only its locks fail: those in Redis are granted and renewed")
	void withoutDatabase() throws Exception {
		assertThat(server.post("/jdbc/1").statusCode()).isEqualTo(200);
		Lease held = locks().acquire(new LockKey("wait-redis", "renewed"), LockOptions.of(Duration.ofSeconds(10)));
		database.freeze();
		try {
			List<CompletableFuture<HttpResponse<String>>> asking = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				asking.add(server.postAsync("/jdbc/frozen" + i));
			}
			for (int i = 0; i < 20; i++) {
				assertThat(server.post("/redis/" + i).statusCode()).isEqualTo(200);
			}
			assertThat(asking).as("still waiting").noneMatch(CompletableFuture::isDone);
			assertThat(asking).allSatisfy((
					each) -> assertThat(each).succeedsWithin(LONG).extracting(HttpResponse::statusCode).isEqualTo(503));
			assertThat(health("jdbc")).isEqualTo("DOWN");
			assertThat(health("redis")).isEqualTo("UP");
			assertThat(errors("reject-jdbc", "jdbc")).isGreaterThanOrEqualTo(20);
			assertThat(held.isHeld()).as("renewed meanwhile").isTrue();
		}
		finally {
			database.thaw();
		}
		Awaitility.await().until(() -> server.post("/jdbc/1").statusCode() == 200);
		held.close();
	}

	private static String health(String store) throws Exception {
		String response = server.get("/actuator/health/lockStore/" + store).body();
		return response.replaceFirst("(?s).*?\"status\":\"(\\w+)\".*", "$1");
	}

	private static double errors(String lockName, String store) {
		return server.context()
			.getBean(MeterRegistry.class)
			.get("lock.store.errors")
			.tags("lock", lockName, "store", store)
			.functionCounter()
			.count();
	}

	@Test
	@DisplayName("A nested call acquires the lock in its own store, and an inner call joins the lease of its chain in either")
	void nested() throws Exception {
		work.during("nested", () -> {
			assertThat(isHeld("redis", "outer-redis", "nested")).isTrue();
			assertThat(isHeld("jdbc", "inner-jdbc", "nested")).isTrue();
			work.during("nested", () -> "done");
			assertThat(work.outer("nested")).as("joins both").isEqualTo("done");
			return "joined";
		});
		assertThat(work.outer("nested")).isEqualTo("joined");
		assertThat(isHeld("redis", "outer-redis", "nested")).isFalse();
		assertThat(isHeld("jdbc", "inner-jdbc", "nested")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "jdbc" })
	@DisplayName("Of several annotations in different stores, all locks are acquired or none: a conflict releases the other")
	void severalAnnotations(String taken) throws Exception {
		work.during("several", () -> {
			assertThat(isHeld("redis", "first-redis", "several")).isTrue();
			assertThat(isHeld("jdbc", "second-jdbc", "several")).isTrue();
			return "done";
		});
		assertThat(work.several("several")).isEqualTo("done");
		LockKey key = new LockKey(taken.equals("redis") ? "first-redis" : "second-jdbc", "several");
		try (Lease lease = elsewhere().acquire(key, options(Duration.ZERO))) {
			assertThat(lease.isHeld()).isTrue();
			assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> work.several("several"))
				.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo(key));
			assertThat(isHeld("redis", "first-redis", "several")).isEqualTo(taken.equals("redis"));
			assertThat(isHeld("jdbc", "second-jdbc", "several")).isEqualTo(taken.equals("jdbc"));
		}
	}

	@Test
	@DisplayName("Two instances that wait for locks in both stores, which their annotations name in opposite order, do not wait for each other")
	void oneOrder() {
		Work there = other.context().getBean(Work.class);
		List<CompletableFuture<Void>> all = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			all.add(CompletableFuture.runAsync(() -> repeat(() -> work.forth("order"))));
			all.add(CompletableFuture.runAsync(() -> repeat(() -> there.back("order"))));
		}
		assertThat(all).allSatisfy((each) -> assertThat(each).succeedsWithin(Duration.ofMinutes(1)));
	}

	private static void repeat(Runnable call) {
		for (int i = 0; i < 20; i++) {
			call.run();
		}
	}

	@Test
	@DisplayName("A transaction under locks of both stores does not commit without the lock in its database")
	void lostInTheDatabase() throws Exception {
		JdbcTemplate jdbc = other.context().getBean(JdbcTemplate.class);
		jdbc.execute("CREATE TABLE paid (id VARCHAR(20))");
		work.during("lost", () -> {
			assertThat(jdbc.update("DELETE FROM locks WHERE lock_key LIKE '%second-jdbc%lost%'")).isOne();
			return "done";
		});
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> work.pay("lost"));
		assertThat(jdbc.queryForObject("SELECT count(*) FROM paid", Integer.class)).isZero();
		assertThat(isHeld("redis", "first-redis", "lost")).isFalse();
		assertThat(work.pay("lost")).isEqualTo("done");
		assertThat(jdbc.queryForObject("SELECT count(*) FROM paid", Integer.class)).isOne();
	}

	@Test
	@DisplayName("A failure of the second store releases the lock of the first")
	void secondStoreFails() throws Exception {
		work.during("failing", () -> "done");
		database.freeze();
		try {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> work.several("failing"));
			assertThat(isHeld("redis", "first-redis", "failing")).isFalse();
		}
		finally {
			database.thaw();
		}
		Awaitility.await().until(() -> server.post("/jdbc/1").statusCode() == 200);
	}

	@Test
	@DisplayName("Several locks in code, in both stores, are granted in the order of their keys, all or none")
	void acquireAll() throws Exception {
		List<LockKey> keys = List.of(key("kept-jdbc"), key("a-redis"), key("keys-jdbc"), key("m-redis"));
		List<Lease> leases = locks().acquireAll(keys, options(Duration.ZERO));
		assertThat(leases).extracting(Lease::key)
			.containsExactly(key("a-redis"), key("kept-jdbc"), key("keys-jdbc"), key("m-redis"));
		leases.forEach(Lease::close);
		assertThat(locks().acquireAllAsync(keys, options(Duration.ZERO), Runnable::run).toCompletableFuture())
			.succeedsWithin(LONG)
			.satisfies((granted) -> granted.forEach(Lease::close));
		try (Lease last = elsewhere().acquire(key("m-redis"), options(Duration.ZERO))) {
			assertThat(last.isHeld()).isTrue();
			assertThatExceptionOfType(LockConflictException.class)
				.isThrownBy(() -> locks().acquireAll(keys, options(Duration.ZERO)));
			assertThat(locks().acquireAllAsync(keys, options(Duration.ZERO), Runnable::run).toCompletableFuture())
				.failsWithin(LONG);
			Awaitility.await()
				.untilAsserted(() -> assertThat(server.context().getBean(LockInspector.class).snapshot()).isEmpty());
			assertThat(List.of(isHeld("redis", "a-redis", "1"), isHeld("jdbc", "kept-jdbc", "1"),
					isHeld("jdbc", "keys-jdbc", "1")))
				.containsOnly(false);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "jdbc" })
	@DisplayName("A method with several keys of one lock acquires them in the store of the lock")
	void severalKeys(String store) throws Exception {
		work.during("keys", () -> {
			assertThat(List.of(isHeld(store, "keys-" + store, "a"), isHeld(store, "keys-" + store, "b")))
				.containsOnly(true);
			return "done";
		});
		assertThat(work.keys(store, List.of("b", "a"))).isEqualTo("done");
	}

	@Test
	@DisplayName("Two calls that need a lock of each store in opposite order are a deadlock, and one is rejected at once")
	void deadlock() throws Exception {
		CountDownLatch both = new CountDownLatch(2);
		work.during("cycle-redis", () -> {
			both.countDown();
			both.await();
			return work.waiting("jdbc", "cycle-jdbc");
		});
		work.during("cycle-jdbc", () -> {
			both.countDown();
			both.await();
			return work.waiting("redis", "cycle-redis");
		});
		CompletableFuture<String> forth = CompletableFuture.supplyAsync(() -> work.waiting("redis", "cycle-redis"));
		CompletableFuture<String> back = CompletableFuture.supplyAsync(() -> work.waiting("jdbc", "cycle-jdbc"));
		long begin = System.nanoTime();
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> CompletableFuture.allOf(forth, back).get(30, TimeUnit.SECONDS))
			.withRootCauseInstanceOf(LockDeadlockException.class);
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("the wait time").isLessThan(Duration.ofSeconds(15));
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis", "jdbc" })
	@DisplayName("The endpoint shows and releases the locks of all stores, and counts and removes results in the store of the lock")
	void endpoint(String store) throws Exception {
		String name = "kept-" + store;
		Lease lease = locks().acquire(new LockKey(name, "shown"), options(Duration.ZERO));
		assertThat(server.get("/actuator/locks").body()).contains("\"name\":\"" + name + "\",\"key\":\"shown\"");
		assertThat(server.delete("/actuator/locks/" + name + "?key=shown").statusCode()).isEqualTo(204);
		assertThat(lease.isHeld()).isFalse();
		assertThat(isHeld(store, name, "shown")).isFalse();
		work.kept(store, "one");
		work.kept(store, "two");
		assertThat(server.get("/actuator/locks/" + name).body()).contains("\"storedResults\":2");
		assertThat(server.delete("/actuator/locks/" + name + "/results").body()).isEqualTo("{\"removed\":2}");
	}

	@Test
	@DisplayName("A shutdown releases the locks of all stores, and closes all connections")
	void shutdown() throws Exception {
		int connections = connections();
		TestServer third = instance("third");
		LockRegistry locks = third.context().getBean(LockRegistry.class);
		List<LockKey> keys = List.of(new LockKey("wait-redis", "shutdown"), new LockKey("wait-jdbc", "shutdown"));
		List<Lease> leases = locks.acquireAll(keys, options(Duration.ZERO));
		third.close();
		assertThat(leases).noneMatch(Lease::isHeld);
		locks().acquireAll(keys, options(Duration.ZERO)).forEach(Lease::close);
		Awaitility.await().untilAsserted(() -> assertThat(connections()).isLessThanOrEqualTo(connections));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.acquire("wait-jdbc:later"));
	}

	/** The clients of Redis, and those of the third instance in the database. */
	private static int connections() {
		int clients = (int) redis.ask("CLIENT LIST").lines().filter((line) -> line.contains("id=")).count();
		return clients + other.context()
			.getBean(JdbcTemplate.class)
			.queryForObject("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'third'", Integer.class);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Work work(ObjectProvider<Work> self, JdbcTemplate jdbc) {
			return new Work(self, jdbc);
		}

		@Bean
		Handlers handlers(Work work) {
			return new Handlers(work);
		}

	}

	@RestController
	static class Handlers {

		private final Work work;

		Handlers(Work work) {
			this.work = work;
		}

		@PostMapping("/redis/{key}")
		public String redis(@PathVariable String key) {
			return this.work.reject("redis", key);
		}

		@PostMapping("/jdbc/{key}")
		public String jdbc(@PathVariable String key) {
			return this.work.reject("jdbc", key);
		}

	}

	/**
	 * Each method under a lock runs the task that was given for its key, once, or else is
	 * done at once.
	 */
	static class Work {

		private final Map<String, Callable<String>> tasks = new ConcurrentHashMap<>();

		private final Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();

		private final ObjectProvider<Work> self;

		private final JdbcTemplate jdbc;

		Work(ObjectProvider<Work> self, JdbcTemplate jdbc) {
			this.self = self;
			this.jdbc = jdbc;
		}

		public void during(String key, Callable<String> task) {
			this.tasks.put(key, task);
		}

		private String run(String key) {
			Callable<String> task = this.tasks.remove(key);
			try {
				return (task != null) ? task.call() : "done";
			}
			catch (RuntimeException | Error ex) {
				throw ex;
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

		public String reject(String store, String key) {
			Work locked = this.self.getObject();
			return store.equals("redis") ? locked.rejectRedis(key) : locked.rejectJdbc(key);
		}

		public String waiting(String store, String key) {
			Work locked = this.self.getObject();
			return store.equals("redis") ? locked.waitingRedis(key) : locked.waitingJdbc(key);
		}

		public String share(String store, String key) {
			Work locked = this.self.getObject();
			return store.equals("redis") ? locked.shareRedis(key) : locked.shareJdbc(key);
		}

		public @Nullable String skip(String store, String key) {
			Work locked = this.self.getObject();
			return store.equals("redis") ? locked.skipRedis(key) : locked.skipJdbc(key);
		}

		public String kept(String store, String key) {
			Work locked = this.self.getObject();
			return store.equals("redis") ? locked.keptRedis(key) : locked.keptJdbc(key);
		}

		@ExclusiveRequest(name = "reject-redis", key = "#key")
		public String rejectRedis(String key) {
			return run(key);
		}

		@ExclusiveRequest(name = "reject-jdbc", key = "#key")
		public String rejectJdbc(String key) {
			return run(key);
		}

		@ExclusiveRequest(name = "wait-redis", key = "#key", onConflict = OnConflict.WAIT)
		public String waitingRedis(String key) {
			return run(key);
		}

		@ExclusiveRequest(name = "wait-jdbc", key = "#key", onConflict = OnConflict.WAIT)
		public String waitingJdbc(String key) {
			return run(key);
		}

		@ExclusiveRequest(name = "share-redis", key = "#key", onConflict = OnConflict.SHARE)
		public String shareRedis(String key) {
			return run(key);
		}

		@ExclusiveRequest(name = "share-jdbc", key = "#key", onConflict = OnConflict.SHARE)
		public String shareJdbc(String key) {
			return run(key);
		}

		@ExclusiveRequest(name = "skip-redis", key = "#key", onConflict = OnConflict.SKIP)
		public @Nullable String skipRedis(String key) {
			return run(key);
		}

		@ExclusiveRequest(name = "skip-jdbc", key = "#key", onConflict = OnConflict.SKIP)
		public @Nullable String skipJdbc(String key) {
			return run(key);
		}

		@ExclusiveRequest(name = "kept-redis", key = "#key", replay = "1h")
		public String keptRedis(String key) {
			return run(key);
		}

		@ExclusiveRequest(name = "kept-jdbc", key = "#key", replay = "1h")
		public String keptJdbc(String key) {
			return run(key);
		}

		@Transactional
		@ExclusiveRequest(name = "replay-jdbc", key = "#key", replay = "1h")
		public String replay(String key) {
			return key + " " + this.runs.computeIfAbsent(key, (each) -> new AtomicInteger()).incrementAndGet();
		}

		@ExclusiveRequest(name = "open-redis", key = "#key")
		public String open(String key) {
			return run(key);
		}

		@ExclusiveRequest(name = "outer-redis", key = "#key")
		public String outer(String key) {
			return this.self.getObject().inner(key);
		}

		@ExclusiveRequest(name = "inner-jdbc", key = "#key")
		public String inner(String key) {
			return run(key);
		}

		@ExclusiveRequest(name = "second-jdbc", key = "#key")
		@ExclusiveRequest(name = "first-redis", key = "#key")
		public String several(String key) {
			return run(key);
		}

		@ExclusiveRequest(name = "first-redis", key = "#key", onConflict = OnConflict.WAIT, waitTime = "1m")
		@ExclusiveRequest(name = "second-jdbc", key = "#key", onConflict = OnConflict.WAIT, waitTime = "1m")
		public String forth(String key) {
			return run(key);
		}

		@ExclusiveRequest(name = "second-jdbc", key = "#key", onConflict = OnConflict.WAIT, waitTime = "1m")
		@ExclusiveRequest(name = "first-redis", key = "#key", onConflict = OnConflict.WAIT, waitTime = "1m")
		public String back(String key) {
			return run(key);
		}

		@Transactional
		@ExclusiveRequest(name = "second-jdbc", key = "#key")
		@ExclusiveRequest(name = "first-redis", key = "#key")
		public String pay(String key) {
			this.jdbc.update("INSERT INTO paid VALUES (?)", key);
			return run(key);
		}

		public String keys(String store, List<String> keys) {
			Work locked = this.self.getObject();
			return store.equals("redis") ? locked.keysRedis(keys) : locked.keysJdbc(keys);
		}

		@ExclusiveRequest(name = "keys-redis", keys = "#keys")
		public String keysRedis(List<String> keys) {
			return run("keys");
		}

		@ExclusiveRequest(name = "keys-jdbc", keys = "#keys")
		public String keysJdbc(List<String> keys) {
			return run("keys");
		}

	}

}
