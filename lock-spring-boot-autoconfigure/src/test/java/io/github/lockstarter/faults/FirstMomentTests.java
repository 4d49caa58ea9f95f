package io.github.lockstarter.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.autoconfigure.LockAutoConfiguration;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.connection.LettuceConnections;
import io.github.lockstarter.testing.LocalDynamoDb;
import io.github.lockstarter.testing.LocalMemcached;
import io.github.lockstarter.testing.LocalPostgreSql;
import io.github.lockstarter.testing.TestJvm;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The first locks of an instance, whose driver is not loaded and not connected yet.
 */
@Tag("faults")
class FirstMomentTests {

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("With a quarter of a processor, a job and 12 calls at startup get their locks; with a LockStore bean of the application, too")
	void getsLocks(boolean ownStore) {
		getsLocks(List.of(), "--own-store=" + ownStore, "--spring.data.redis.host=" + TestRedis.host(),
				"--spring.data.redis.port=" + TestRedis.port());
	}

	@Test
	@DisplayName("With a quarter of a processor, a job and 12 calls at startup get their locks from memcached")
	void fromMemcached() {
		try (LocalMemcached memcached = LocalMemcached.started()) {
			getsLocks(List.of(), "--lock.store=memcached", "--lock.memcached.servers=" + memcached.address());
		}
	}

	@Test
	@DisplayName("With a quarter of a processor, a job and 12 calls at startup get their locks from DynamoDB")
	void fromDynamoDb() {
		// DynamoDB Local can need a second for an answer if the processors are busy.
		List<String> client = Stream.of(LocalDynamoDb.shared().systemProperties()).map((each) -> "-D" + each).toList();
		getsLocks(client, "--lock.store=dynamodb", "--lock.dynamodb.table=first_moment",
				"--lock.dynamodb.create-table=true", "--lock.dynamodb.command-timeout=3s");
	}

	@Test
	@DisplayName("With a quarter of a processor, a job and 12 calls at startup get their locks from PostgreSQL")
	void fromPostgreSql() {
		getsLocks(List.of(), "--lock.store=jdbc", "--lock.jdbc.table=first_moment",
				"--lock.jdbc.initialize-schema=always", "--lock.jdbc.url=" + LocalPostgreSql.shared().url(),
				"--lock.jdbc.username=postgres");
	}

	private static void getsLocks(List<String> options, String... arguments) {
		// Without verification, the driver would be loaded in less time.
		List<String> all = Stream.concat(Stream.of("-XX:+BytecodeVerificationRemote"), options.stream()).toList();
		try (TestJvm instance = TestJvm.start(all, Application.class, (Object[]) arguments);
				Quota quota = new Quota(instance)) {
			instance.await("the job has run");
			instance.await("all calls have ended");
			assertThat(instance.output()).noneMatch((line) -> line.contains("LockStoreException"));
		}
	}

	/**
	 * Lets a process run for a quarter of the time, like a container with such a quota.
	 */
	private static final class Quota implements AutoCloseable {

		private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

		private final TestJvm instance;

		Quota(TestJvm instance) {
			this.instance = instance;
			run();
		}

		/**
		 * Not at a fixed rate: a late timer would catch up, and leave the process no
		 * time.
		 */
		private void run() {
			this.timer.schedule(this::pause, 25, TimeUnit.MILLISECONDS);
		}

		private void pause() {
			try {
				this.instance.freeze();
			}
			finally {
				this.timer.schedule(this::resume, 75, TimeUnit.MILLISECONDS);
			}
		}

		private void resume() {
			this.instance.thaw();
			run();
		}

		@Override
		public void close() {
			this.timer.shutdownNow();
		}

	}

	/** An application that needs locks as soon as it starts. */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LockAutoConfiguration.class })
	@EnableScheduling
	static class Application {

		private static final CompletableFuture<Void> jobEnded = new CompletableFuture<>();

		public static void main(String... args) {
			try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
				.web(WebApplicationType.NONE)
				.run(args)) {
				LockRegistry locks = context.getBean(LockRegistry.class);
				LockOptions options = LockOptions.of(Duration.ofSeconds(10));
				List<CompletableFuture<Void>> calls = IntStream.range(0, 12).mapToObj((i) -> {
					CompletableFuture<Void> done = new CompletableFuture<>();
					new Thread(() -> {
						try {
							locks.acquire(new LockKey("first", "call" + i), options).close();
						}
						catch (RuntimeException ex) {
							System.out.println(ex);
						}
						done.complete(null);
					}).start();
					return done;
				}).toList();
				calls.forEach(CompletableFuture::join);
				System.out.println("all calls have ended");
				jobEnded.join();
			}
		}

		@Bean
		Job job() {
			return new Job();
		}

		/** Nothing starts it. */
		@Bean
		@ConditionalOnProperty("own-store")
		LockStore ownStore(DataRedisProperties redis) {
			RedisLockStore store = new RedisLockStore(
					LettuceConnections.to(RedisClient.create(), RedisURI.create(redis.getHost(), redis.getPort())),
					"lock", Duration.ofMillis(500), 0);
			return store::lock;
		}

	}

	static class Job {

		@ExclusiveRequest(name = "job", key = "'one'")
		@Scheduled(fixedDelay = 1000_000)
		public void run() {
			System.out.println("the job has run");
			Application.jobEnded.complete(null);
		}

	}

}
