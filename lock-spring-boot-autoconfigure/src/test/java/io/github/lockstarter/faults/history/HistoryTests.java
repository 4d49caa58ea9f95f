package io.github.lockstarter.faults.history;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.LocalSentinel;
import io.github.lockstarter.testing.TcpProxy;
import io.github.lockstarter.testing.TestJvm;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two applications acquire locks while faults are injected into them and their Redis.
 * Their histories are checked by a program that is independent of the library. {@code
 * -Dhistory.minutes} sets the duration; see {@code docs/contributing/history-check.md}.
 */
@Tag("faults")
@Tag("redis")
@Timeout(value = 40, unit = TimeUnit.MINUTES)
class HistoryTests {

	private static final Log logger = LogFactory.getLog(HistoryTests.class);

	private static final Path HISTORIES = Path.of("target", "history");

	/** The duration of each of the two tests. */
	private static final Duration TIME = Duration.ofSeconds(Integer.getInteger("history.minutes", 0) * 30L);

	@Test
	@DisplayName("A single Redis with persistence is killed, frozen and cut off, as are the applications")
	void oneRedis(@TempDir Path data) {
		try (LocalRedis redis = LocalRedis.started("--appendonly", "yes", "--appendfsync", "always", "--dir",
				data.toString());
				TcpProxy first = new TcpProxy(redis.port());
				TcpProxy second = new TcpProxy(redis.port());
				Driver driver = new Driver(HISTORIES.resolve("one-redis"))) {
			List<TcpProxy> links = List.of(first, second);
			driver.start(List.of(worker(over(first)), worker(over(second))));
			driver.run(List.of(Fault.KILL_WORKER, Fault.FREEZE_WORKER, Fault.PAUSE_WORKER, freeze(redis),
					restart(redis), breaking("cut-link", links, TcpProxy::cut),
					breaking("reset-link", links, HistoryTests::resetAndRefuse),
					breaking("silence-link", links, TcpProxy::dropAll),
					breaking("swallow-answers", links, TcpProxy::dropReplies)), TIME);
			assertClean(driver);
		}
	}

	@Test
	@DisplayName("With Sentinel, acknowledgement by all replicas and leases without renewal, the master is killed and frozen")
	void sentinel() {
		try (LocalSentinel servers = LocalSentinel.started();
				Driver driver = new Driver(HISTORIES.resolve("sentinel"))) {
			String[] properties = Stream
				.concat(Arrays.stream(servers.properties()),
						Stream.of("lock.redis.replicas-to-ack=2", "lock.renew=false"))
				.toArray(String[]::new);
			driver.start(List.of(worker(properties), worker(properties)));
			driver.run(TIME.isZero() ? List.of(killMaster(servers))
					: List.of(killMaster(servers), freezeMaster(servers), Fault.KILL_WORKER, Fault.FREEZE_WORKER),
					TIME);
			assertClean(driver);
		}
	}

	@Test
	@DisplayName("Behind one address, with acknowledgement and leases without renewal, a primary and its replica swap their roles while connections stay open")
	void swappedRoles() {
		try (LocalRedis primary = LocalRedis.started("--repl-diskless-sync-delay", "0");
				LocalRedis replica = LocalRedis.started("--repl-diskless-sync-delay", "0", "--replicaof",
						"127.0.0.1 " + primary.port());
				TcpProxy first = new TcpProxy(primary.port());
				TcpProxy second = new TcpProxy(primary.port());
				Driver driver = new Driver(HISTORIES.resolve("swapped-roles"))) {
			String[] properties = { "lock.redis.replicas-to-ack=1", "lock.renew=false" };
			driver.start(Stream.of(first, second)
				.map((link) -> worker(
						Stream.concat(Stream.of(over(link)), Stream.of(properties)).toArray(String[]::new)))
				.toList());
			Deque<LocalRedis> servers = new ArrayDeque<>(List.of(primary, replica));
			driver.run(List.of(swapRoles(servers, List.of(first, second)), Fault.PAUSE_WORKER), TIME);
			assertClean(driver);
		}
	}

	@Test
	@DisplayName("For a lock that does not compare its owner, the check reports two holders")
	void naive() {
		try (LocalRedis redis = LocalRedis.started(); Driver driver = new Driver(HISTORIES.resolve("naive"))) {
			Function<Path, TestJvm> worker = (file) -> TestJvm.start(NaiveWorker.class, file, redis.port());
			driver.start(List.of(worker, worker));
			Checker result;
			int attempts = 0;
			do {
				driver.run(List.of(Fault.FREEZE_WORKER), Duration.ZERO);
				result = driver.check();
			}
			while (!result.output().contains("two leases were held at once") && ++attempts < 10);
			assertThat(result.exitCode()).isEqualTo(1);
			assertThat(result.output()).contains("two leases were held at once");
		}
	}

	private static void assertClean(Driver driver) {
		driver.stop();
		Checker result = driver.check();
		logger.info(result.output());
		assertThat(result.exitCode()).as(result.output()).isZero();
	}

	private static Function<Path, TestJvm> worker(String... properties) {
		Stream<String> all = Stream.concat(Stream.of("lock.ttl=1s", "logging.level.root=WARN"),
				Arrays.stream(properties));
		String[] options = all.map((property) -> "--" + property).toArray(String[]::new);
		return (file) -> TestJvm.start(Worker.class, Stream.concat(Stream.of(file), Stream.of(options)).toArray());
	}

	private static String[] over(TcpProxy link) {
		return new String[] { "spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + link.port() };
	}

	private static Fault freeze(LocalRedis redis) {
		return new Fault("freeze-redis", (index, worker) -> {
			redis.freeze();
			Fault.last();
			redis.thaw();
			return "redis";
		});
	}

	private static Fault restart(LocalRedis redis) {
		return new Fault("restart-redis", (index, worker) -> {
			redis.kill();
			redis.start();
			return "redis";
		});
	}

	private static Fault breaking(String kind, List<TcpProxy> links, Consumer<TcpProxy> action) {
		return new Fault(kind, (index, worker) -> {
			TcpProxy link = links.get(index);
			action.accept(link);
			Fault.last();
			link.mend();
			return worker.name();
		});
	}

	private static void resetAndRefuse(TcpProxy link) {
		link.refuse();
		link.reset();
	}

	private static Fault killMaster(LocalSentinel servers) {
		return new Fault("kill-master", (index, worker) -> {
			LocalRedis master = servers.master();
			master.kill();
			awaitAnotherMaster(servers, master);
			servers.heal(master);
			return "redis";
		});
	}

	private static Fault freezeMaster(LocalSentinel servers) {
		return new Fault("freeze-master", (index, worker) -> {
			LocalRedis master = servers.master();
			master.freeze();
			awaitAnotherMaster(servers, master);
			// The old master considers itself the master until it is notified.
			master.thaw();
			Fault.last();
			servers.heal(master);
			return "redis";
		});
	}

	/** The connections to the old primary, which is a replica now, stay open. */
	private static Fault swapRoles(Deque<LocalRedis> servers, List<TcpProxy> links) {
		return new Fault("swap-roles", (index, worker) -> {
			LocalRedis old = servers.removeFirst();
			LocalRedis primary = servers.getFirst();
			servers.addLast(old);
			primary.ask("REPLICAOF NO ONE");
			Fault.last();
			old.ask("REPLICAOF 127.0.0.1 " + primary.port());
			links.forEach((link) -> link.redirect(primary.port()));
			return "redis";
		});
	}

	private static void awaitAnotherMaster(LocalSentinel servers, LocalRedis broken) {
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> servers.master() != broken);
	}

}
