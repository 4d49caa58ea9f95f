package io.github.lockstarter.faults;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.autoconfigure.LockAutoConfiguration;
import io.github.lockstarter.testing.LocalDynamoDb;
import io.github.lockstarter.testing.LocalMySql;
import io.github.lockstarter.testing.LocalMemcached;
import io.github.lockstarter.testing.LocalPostgreSql;
import io.github.lockstarter.testing.TcpProxy;
import io.github.lockstarter.testing.TestJvm;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An instance that stands still under load, like a JVM during a long garbage collection,
 * while its store answers. What the store has answered by then counts.
 * <p>
 * {@code -Dpaused-instance.stops=15} stops it that many times, for a short and a long
 * time in turn, instead of the few times of each build.
 */
@Tag("database")
@Tag("faults")
@Timeout(value = 1, unit = TimeUnit.HOURS)
class PausedInstanceTests {

	private static final int STOPS = Integer.getInteger("paused-instance.stops", 4);

	private static final Duration SHORT = Duration.ofMillis(700);

	/** Longer than the timeout of each store. */
	private static final Duration LONG = Duration.ofSeconds(4);

	/**
	 * The driver of memcached closes a connection that was silent for three seconds, and
	 * may do so before it reads what has arrived in a longer pause.
	 */
	private static final Duration LONG_FOR_MEMCACHED = Duration.ofSeconds(2);

	private static final int CLIENTS = 32;

	@ParameterizedTest
	@ValueSource(strings = { "redis", "postgresql", "mariadb", "memcached", "dynamodb" })
	@DisplayName("After an instance stood still, no call fails that the store has answered, and no lease is lost")
	void stopped(String store) {
		try (LocalMemcached memcached = LocalMemcached.started();
				TcpProxy redis = new TcpProxy(TestRedis.port());
				TestJvm instance = TestJvm.start(options(store), Application.class,
						(Object[]) properties(store, memcached, redis))) {
			// Calls that wait for others, or need two round trips, are not answered yet.
			redis.delay(3);
			instance.await("warm");
			for (int i = 0; i < STOPS; i++) {
				Duration pause = (i % 2 == 0) ? SHORT : "memcached".equals(store) ? LONG_FOR_MEMCACHED : LONG;
				instance.freeze();
				Awaitility.await().pollDelay(pause).until(() -> true);
				instance.thaw();
				instance.tell("go on");
				instance.await("all have gone on after stop %d;".formatted(i));
			}
			assertThat(instance.output())
				.filteredOn((line) -> line.startsWith("FAILED") || line.contains("may not have been released")
						|| line.contains("was lost"))
				.isEmpty();
		}
	}

	private static List<String> options(String store) {
		return "dynamodb".equals(store)
				? Stream.of(LocalDynamoDb.shared().systemProperties()).map((each) -> "-D" + each).toList() : List.of();
	}

	private static String[] properties(String store, LocalMemcached memcached, TcpProxy redis) {
		return switch (store) {
			case "redis" ->
				new String[] { "spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port() };
			case "postgresql" -> jdbc(LocalPostgreSql.shared().url());
			case "mariadb" -> jdbc(LocalMySql.shared().url());
			case "memcached" ->
				new String[] { "lock.store=memcached", "lock.memcached.servers=" + memcached.address() };
			// DynamoDB Local can need a second for an answer if the processors are busy.
			default -> new String[] { "lock.store=dynamodb", "lock.dynamodb.create-table=true",
					"lock.dynamodb.command-timeout=3s" };
		};
	}

	private static String[] jdbc(String url) {
		return new String[] { "lock.store=jdbc", "lock.jdbc.initialize-schema=always", "lock.jdbc.table=paused_locks",
				"spring.datasource.url=" + url };
	}

	/**
	 * An application with clients that acquire and release locks without a pause: each a
	 * lock of its own, half of them then one that all share. One lease is held
	 * throughout.
	 */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class,
			LockAutoConfiguration.class })
	static class Application {

		public static void main(String... properties) throws IOException, InterruptedException {
			try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
				.web(WebApplicationType.NONE)
				.properties(properties)
				.run()) {
				LockRegistry locks = context.getBean(LockRegistry.class);
				LockOptions options = LockOptions.of(Duration.ofSeconds(10)).withWaitTime(Duration.ofSeconds(30));
				Lease held = locks.acquire(new LockKey("paused", "held"), options);
				AtomicInteger[] cycles = Stream.generate(AtomicInteger::new)
					.limit(CLIENTS)
					.toArray(AtomicInteger[]::new);
				for (int i = 0; i < CLIENTS; i++) {
					int client = i;
					Thread thread = new Thread(() -> run(locks, options, client, cycles[client]));
					thread.setDaemon(true);
					thread.start();
				}
				awaitAll(cycles);
				System.out.println("warm");
				for (int stop = 0; System.in.read() >= 0;) {
					System.in.skip(System.in.available());
					awaitAll(cycles);
					System.out.println("all have gone on after stop %d;".formatted(stop++));
				}
				held.close();
			}
		}

		private static void run(LockRegistry locks, LockOptions options, int client, AtomicInteger cycles) {
			while (true) {
				try {
					locks.acquire(new LockKey("paused", "client" + client), options).close();
					if (client % 2 == 0) {
						locks.acquire(new LockKey("paused", "shared"), options).close();
					}
				}
				catch (RuntimeException ex) {
					System.out.println("FAILED " + ex + ", " + ex.getCause());
				}
				cycles.incrementAndGet();
			}
		}

		/** Waits until each client has made two more cycles. */
		private static void awaitAll(AtomicInteger[] cycles) {
			int[] before = Arrays.stream(cycles).mapToInt(AtomicInteger::get).toArray();
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
				for (int i = 0; i < before.length; i++) {
					if (cycles[i].get() < before[i] + 2) {
						return false;
					}
				}
				return true;
			});
		}

	}

}
