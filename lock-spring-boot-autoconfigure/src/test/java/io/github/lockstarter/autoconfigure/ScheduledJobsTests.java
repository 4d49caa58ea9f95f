package io.github.lockstarter.autoconfigure;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.connection.LettuceConnections;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.TestJvm;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Jobs of several instances with one Redis, and other methods without a waiting client.
 * <p>
 * {@code -Djobs.seconds=60} observes that number of runs, which take a second each,
 * instead of the fewer ones of each build.
 */
@ExtendWith(OutputCaptureExtension.class)
class ScheduledJobsTests {

	private static final String PREFIX = "jobs";

	private static final int SECONDS = Integer.getInteger("jobs.seconds", 10);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private static final Duration SHORTEST_HOLD = Duration.ofMillis(900);

	/** The precision of Redis, whose clock is not that of this instance. */
	private static final Duration READING_ERROR = Duration.ofMillis(10);

	private static final Duration TTL = Duration.ofSeconds(3);

	private final Runs runs = new Runs();

	private final List<ConfigurableApplicationContext> instances = new ArrayList<>();

	@AfterEach
	void stop() {
		this.instances.forEach(ConfigurableApplicationContext::close);
	}

	@Test
	@DisplayName("A job that three instances start once a second, with clocks five seconds apart, runs once a second")
	void onceASecond(CapturedOutput output) {
		for (int offset : new int[] { 0, -5_300, 4_600 }) {
			start(Clock.offset(Clock.systemUTC(), Duration.ofMillis(offset)), EverySecond.class);
		}
		int logged = output.length();
		this.runs.clear();
		Awaitility.await()
			.atMost(Duration.ofSeconds(SECONDS).plusMinutes(1))
			.until(() -> Stream.of("by-cron", "by-rate").allMatch((job) -> this.runs.of(job).size() >= SECONDS));
		for (String job : List.of("by-cron", "by-rate")) {
			List<Run> runs = this.runs.of(job);
			for (int i = 1; i < runs.size(); i++) {
				// The lock was granted after the tick that started the run.
				assertThat(Duration.ofNanos(runs.get(i).begin - runs.get(i - 1).tick)).as("run %d %s", i, job)
					.isGreaterThanOrEqualTo(SHORTEST_HOLD.minus(READING_ERROR));
			}
			assertThat(count(job, Event.SKIPPED)).as(job).isGreaterThan(runs.size());
			assertThat(count(job, Event.LOST)).as(job).isZero();
		}
		assertThat(this.instances).allSatisfy((instance) -> assertThat(instance.getBean(Failures.class).all).isEmpty());
		// Other tests write to the same log.
		assertThat(output.getAll().substring(logged).lines()).noneMatch((line) -> line.contains("by-"));
	}

	@Test
	@DisplayName("A job that outlasts its interval and its time to live keeps its lock, and no other instance runs it")
	void outlivesInterval() {
		for (int i = 0; i < 3; i++) {
			start(Clock.systemUTC(), TestRedis.properties(), LongJob.class, LongReactiveJob.class);
		}
		assertThat(List.of("long", "long-reactive")).allSatisfy((job) -> {
			Awaitility.await().until(() -> this.runs.of(job).size() >= 2);
			assertThat(this.runs.atOnce(job)).isOne();
			assertThat(count(job, Event.RENEWED)).isGreaterThanOrEqualTo(4);
			assertThat(count(job, Event.SKIPPED)).isGreaterThanOrEqualTo(4);
			assertThat(count(job, Event.LOST)).isZero();
		});
	}

	@Test
	@DisplayName("A job whose instance is killed runs at another instance after its time to live")
	void takenOver() {
		StringRedisTemplate redis;
		String lock;
		String killedOwner;
		try (TestJvm killed = TestJvm.start(Instance.class, (Object[]) TestRedis.properties())) {
			killed.await("endless");
			redis = start(Endless.class).getBean(StringRedisTemplate.class);
			Awaitility.await().until(() -> count("endless", Event.SKIPPED) > 1);
			lock = redis.keys(PREFIX + ":{*}:endless*").iterator().next();
			killedOwner = redis.opsForValue().get(lock);
			killed.kill();
			killed.awaitEnd();
		}
		long begin = System.nanoTime();
		Duration left = Duration.ofMillis(redis.getExpire(lock, TimeUnit.MILLISECONDS));
		// On a machine that stood still, this instance may hold the lock by now.
		Duration earliest = killedOwner.equals(redis.opsForValue().get(lock)) ? left.minus(READING_ERROR)
				: Duration.ofDays(-1);
		Awaitility.await().until(() -> this.runs.knows("endless"));
		assertThat(Duration.ofNanos(this.runs.all.get(0).begin - begin)).isBetween(earliest,
				TTL.plus(INTERVAL).plusSeconds(10));
	}

	@ParameterizedTest
	@ValueSource(strings = { "true", "false" })
	@DisplayName("While another instance holds their locks, an @Async method, a listener and a runner are skipped, and the application starts")
	void skipsOtherMethods(String proxyTargetClass) {
		String[] properties = Stream
			.concat(Stream.of(TestRedis.properties()), Stream.of("spring.aop.proxy-target-class=" + proxyTargetClass))
			.toArray(String[]::new);
		ConfigurableApplicationContext context;
		try (RedisLockStore store = otherInstance();
				DefaultLockRegistry other = new DefaultLockRegistry(store, LockOptions.of(Duration.ofMinutes(1)));
				Lease runner = acquire(other, "runner");
				Lease listener = acquire(other, "listener");
				Lease task = acquire(other, "task")) {
			context = start(Clock.systemUTC(), properties, Runner.class, Methods.class);
			assertThat(count("runner", Event.SKIPPED)).isOne();
			context.publishEvent("an event");
			assertThat(count("listener", Event.SKIPPED)).isOne();
			context.getBean(Methods.class).task();
			Awaitility.await().until(() -> count("task", Event.SKIPPED) == 1);
			assertThat(List.of(runner, listener, task)).allMatch(Lease::isHeld);
			assertThat(this.runs.all).isEmpty();
		}
		context.publishEvent("an event");
		context.getBean(Methods.class).task();
		start(Clock.systemUTC(), properties, Runner.class);
		Awaitility.await().until(() -> this.runs.knows("runner", "listener", "task"));
	}

	private static RedisLockStore otherInstance() {
		RedisURI server = RedisURI.create(TestRedis.host(), TestRedis.port());
		return new RedisLockStore(LettuceConnections.to(RedisClient.create(), server), PREFIX, Duration.ofSeconds(30),
				0);
	}

	private static Lease acquire(LockRegistry instance, String name) {
		return instance.acquire(new LockKey(name, ""), LockOptions.of(Duration.ofMinutes(1)));
	}

	@Test
	@DisplayName("When the store fails, the scheduler's error handler gets the failure, and the job runs at later ticks")
	void failingStore() {
		try (LocalRedis redis = LocalRedis.started()) {
			String[] properties = { "spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port() };
			Failures failures = start(Clock.systemUTC(), properties, EverySecond.class).getBean(Failures.class);
			Awaitility.await().until(() -> this.runs.knows("by-cron", "by-rate"));
			redis.kill();
			Awaitility.await().until(() -> failures.all.size() > 4);
			assertThat(failures.all).hasOnlyElementsOfType(LockStoreException.class);
			this.runs.clear();
			redis.start();
			Awaitility.await().until(() -> this.runs.knows("by-cron", "by-rate"));
			stop();
		}
	}

	private ConfigurableApplicationContext start(Class<?> job) {
		return start(Clock.systemUTC(), job);
	}

	private ConfigurableApplicationContext start(Clock clock, Class<?> job) {
		return start(clock, TestRedis.properties(), job);
	}

	private ConfigurableApplicationContext start(Clock clock, String[] properties, Class<?>... beans) {
		ConfigurableApplicationContext instance = Instance.start(this.runs, clock, properties, beans);
		this.instances.add(instance);
		return instance;
	}

	private long count(String job, Event event) {
		return this.instances.stream()
			.map((instance) -> instance.getBean(LockCounts.class))
			.mapToLong((counts) -> counts.get(job, event))
			.sum();
	}

	private static void awaitPassed(Duration duration) {
		long begin = System.nanoTime();
		Awaitility.await().atMost(duration.plusMinutes(1)).until(() -> System.nanoTime() - begin > duration.toNanos());
	}

	/** An instance of an application. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableScheduling
	@EnableAsync
	static class Instance {

		private static final ThreadLocal<Long> ticked = new ThreadLocal<>();

		/** Arguments: properties. */
		public static void main(String[] properties) {
			start(new Runs(), Clock.systemUTC(), properties, Endless.class);
		}

		static ConfigurableApplicationContext start(Runs runs, Clock clock, String[] properties, Class<?>... beans) {
			return new SpringApplicationBuilder(Instance.class).sources(beans)
				.web(WebApplicationType.NONE)
				.properties("lock.redis.key-prefix=" + PREFIX, "spring.lifecycle.timeout-per-shutdown-phase=1s")
				.properties(properties)
				.initializers((GenericApplicationContext context) -> {
					context.registerBean(Runs.class, () -> runs);
					context.registerBean(Clock.class, () -> clock);
				})
				.run();
		}

		@Bean
		Failures failures() {
			return new Failures();
		}

		@Bean
		ThreadPoolTaskScheduler taskScheduler(Clock clock, Failures failures) {
			ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
			scheduler.setPoolSize(2);
			scheduler.setClock(clock);
			scheduler.setErrorHandler(failures.all::add);
			scheduler.setTaskDecorator((task) -> () -> {
				ticked.set(System.nanoTime());
				task.run();
			});
			return scheduler;
		}

	}

	static class Failures {

		private final List<Throwable> all = new CopyOnWriteArrayList<>();

	}

	/**
	 * A run of a job.
	 *
	 * @param tick when the scheduler started the run, before it requested the lock
	 * @param begin when the run acquired the lock
	 */
	record Run(String job, long tick, long begin) {

	}

	/** The runs of all instances. */
	static class Runs {

		private final List<Run> all = new CopyOnWriteArrayList<>();

		private final Map<String, AtomicInteger> working = new ConcurrentHashMap<>();

		private final Map<String, Integer> atOnce = new ConcurrentHashMap<>();

		void add(String job) {
			long now = System.nanoTime();
			Long ticked = Instance.ticked.get();
			this.all.add(new Run(job, (ticked != null) ? ticked : now, now));
		}

		List<Run> of(String job) {
			return this.all.stream().filter((run) -> run.job.equals(job)).toList();
		}

		boolean knows(String... jobs) {
			return Stream.of(jobs).noneMatch((job) -> of(job).isEmpty());
		}

		void clear() {
			this.all.clear();
		}

		/** Runs for longer than its time to live and its interval. */
		void work(String job) {
			AtomicInteger working = this.working.computeIfAbsent(job, (name) -> new AtomicInteger());
			this.atOnce.merge(job, working.incrementAndGet(), Math::max);
			awaitPassed(TTL.multipliedBy(2).plus(INTERVAL));
			working.decrementAndGet();
			add(job);
		}

		int atOnce(String job) {
			return this.atOnce.get(job);
		}

	}

	static class EverySecond {

		private final Runs runs;

		EverySecond(Runs runs) {
			this.runs = runs;
		}

		@Scheduled(cron = "* * * * * *")
		@ExclusiveRequest(name = "by-cron", onConflict = OnConflict.SKIP, holdAtLeast = "900ms")
		public void byCron() {
			this.runs.add("by-cron");
		}

		@Scheduled(fixedRate = 1000)
		@ExclusiveRequest(name = "by-rate", onConflict = OnConflict.SKIP, holdAtLeast = "900ms")
		public void byRate() {
			this.runs.add("by-rate");
		}

	}

	static class LongJob {

		private final Runs runs;

		LongJob(Runs runs) {
			this.runs = runs;
		}

		@Scheduled(fixedRate = 1000)
		@ExclusiveRequest(name = "long", ttl = "3s", onConflict = OnConflict.SKIP)
		public void run() {
			this.runs.work("long");
		}

	}

	static class LongReactiveJob {

		private final Runs runs;

		LongReactiveJob(Runs runs) {
			this.runs = runs;
		}

		@Scheduled(fixedRate = 1000)
		@ExclusiveRequest(name = "long-reactive", ttl = "3s", onConflict = OnConflict.SKIP)
		public Mono<Void> run() {
			return Mono.fromRunnable(() -> this.runs.work("long-reactive"))
				.subscribeOn(Schedulers.boundedElastic())
				.then();
		}

	}

	static class Endless {

		private final Runs runs;

		Endless(Runs runs) {
			this.runs = runs;
		}

		@Scheduled(fixedRate = 1000)
		@ExclusiveRequest(name = "endless", ttl = "3s", onConflict = OnConflict.SKIP)
		public void run() throws InterruptedException {
			this.runs.add("endless");
			System.out.println("endless");
			new CountDownLatch(1).await();
		}

	}

	static class Runner implements ApplicationRunner {

		private final Runs runs;

		Runner(Runs runs) {
			this.runs = runs;
		}

		@Override
		@ExclusiveRequest(name = "runner", onConflict = OnConflict.SKIP)
		public void run(ApplicationArguments args) {
			this.runs.add("runner");
		}

	}

	static class Methods {

		private final Runs runs;

		Methods(Runs runs) {
			this.runs = runs;
		}

		@EventListener
		@ExclusiveRequest(name = "listener", onConflict = OnConflict.SKIP)
		public void on(String event) {
			this.runs.add("listener");
		}

		@Async
		@ExclusiveRequest(name = "task", onConflict = OnConflict.SKIP)
		public void task() {
			this.runs.add("task");
		}

	}

}
