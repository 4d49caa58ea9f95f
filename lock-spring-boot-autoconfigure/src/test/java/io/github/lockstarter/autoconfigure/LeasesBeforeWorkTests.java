package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

import org.springframework.core.task.support.TaskExecutorAdapter;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.config.annotation.AsyncSupportConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.interceptor.LastRuns;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.registry.entry.LockSnapshot;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls whose lease is lost before their work begins. The work does not begin.
 */
@Timeout(120)
class LeasesBeforeWorkTests {

	private static final Duration SOON = Duration.ofSeconds(60);

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofMinutes(1));

	private static final String ACCOUNTS = "?from=a&to=b";

	/** The lock that is acquired first, and lost. */
	private static final LockKey FIRST = new LockKey("account", "a");

	/** The lock for which the call waits meanwhile. */
	private static final LockKey SECOND = new LockKey("account", "b");

	@ParameterizedTest
	@CsvSource({ "servlet, /plain", "servlet, /future", "servlet, /mono", "servlet, /flux", "servlet, /task",
			"servlet, /keys", "servlet, /joined", "suspended, /plain", "suspended, /bound", "reactive, /mono",
			"reactive, /flux", "reactive, /future", "reactive, /keys-later" })
	@DisplayName("A lease that is lost while its call waits for another lock: the method does not run, the response is lease-lost, and the other lock is released")
	void lostWhileWaiting(String type, String path) throws Exception {
		try (TestServer server = start(type)) {
			Transfers transfers = server.context().getBean(Transfers.class);
			LockRegistry locks = server.context().getBean(LockRegistry.class);
			Lease elsewhere = locks.acquire(SECOND, OPTIONS);
			CompletableFuture<HttpResponse<String>> response = server.postAsync(path + ACCOUNTS);
			lose(server, FIRST);
			Lease next = locks.acquire(FIRST, OPTIONS);
			elsewhere.close();
			assertLost(response);
			assertThat(transfers.runs()).isZero();
			assertThat(next.isHeld()).isTrue();
			next.close();
			// At once, although the lock is to be held for a minute after work.
			locks.acquire(SECOND, OPTIONS.withWaitTime(Duration.ofSeconds(20))).close();
			assertThat(server.post(path + ACCOUNTS).statusCode()).isEqualTo(200);
			assertThat(transfers.runs()).isOne();
		}
	}

	@Test
	@DisplayName("A call outside of a request fails in the same way, also if it would be skipped for a held lock, and is not listed as its last run")
	void bean() {
		try (TestServer server = start("none")) {
			Transfers transfers = server.context().getBean(Transfers.class);
			LockRegistry locks = server.context().getBean(LockRegistry.class);
			Lease elsewhere = locks.acquire(SECOND, OPTIONS);
			CompletableFuture<Void> job = CompletableFuture.runAsync(() -> transfers.job("a", "b"));
			lose(server, FIRST);
			elsewhere.close();
			assertThat(job).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(LeaseLostException.class);
			assertThat(transfers.runs()).isZero();
			LastRuns lastRuns = server.context().getBean(LastRuns.class);
			assertThat(lastRuns.byLockName()).isEmpty();
			transfers.job("a", "b");
			assertThat(transfers.runs()).isOne();
			assertThat(lastRuns.byLockName().get("account").ran()).isNotNull();
		}
	}

	@Test
	@DisplayName("Each subscription checks its own leases: after a loss, a retry of the subscription runs")
	void resubscribed() {
		try (TestServer server = start("none")) {
			Transfers transfers = server.context().getBean(Transfers.class);
			Lease elsewhere = server.context().getBean(LockRegistry.class).acquire(SECOND, OPTIONS);
			AtomicInteger retries = new AtomicInteger();
			CompletableFuture<String> retried = transfers.mono("a", "b")
				.retryWhen(Retry.max(1)
					.filter(LeaseLostException.class::isInstance)
					.doBeforeRetry((failure) -> retries.incrementAndGet()))
				.toFuture();
			lose(server, FIRST);
			elsewhere.close();
			assertThat(retried).succeedsWithin(SOON);
			assertThat(retries).hasValue(1);
			assertThat(transfers.runs()).isOne();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/stream", "/task" })
	@DisplayName("A task of a handler whose lease is lost before a thread runs it does not run")
	void lateTask(String path) throws Exception {
		try (TestServer server = start("servlet")) {
			Transfers transfers = server.context().getBean(Transfers.class);
			Tasks tasks = server.context().getBean(Tasks.class);
			tasks.stop();
			CompletableFuture<HttpResponse<String>> response = server.postAsync(path + ACCOUNTS);
			Awaitility.await().atMost(SOON).until(() -> !tasks.waiting.isEmpty());
			lose(server, FIRST);
			tasks.goOn();
			assertLost(response);
			assertThat(transfers.runs()).isZero();
			assertThat(server.post(path + ACCOUNTS).statusCode()).isEqualTo(200);
		}
	}

	private static void lose(TestServer server, LockKey key) {
		LockInspector inspector = server.context().getBean(LockInspector.class);
		LockSnapshot.Holder holder = Awaitility.await()
			.atMost(SOON)
			.until(() -> inspector.snapshot()
				.stream()
				.filter((lock) -> lock.key().equals(key))
				.map(LockSnapshot::held)
				.findFirst()
				.orElse(null), (held) -> held != null);
		assertThat(inspector.forceRelease(key, holder.fencingToken())).succeedsWithin(SOON).isEqualTo(true);
	}

	private static void assertLost(CompletableFuture<HttpResponse<String>> response) {
		assertThat(response).succeedsWithin(SOON);
		assertThat(response.join().statusCode()).isEqualTo(409);
		assertThat(response.join().body()).contains("problems/lease-lost");
	}

	/**
	 * Starts an application.
	 * @param type the type of the web application; {@code suspended} for a servlet
	 * application in which plain handlers wait without a thread
	 */
	private static TestServer start(String type) {
		boolean suspended = type.equals("suspended");
		return TestServer.start(
				new Class<?>[] { TestServer.Application.class, Transfers.class, Accounts.class, Tasks.class },
				"spring.main.web-application-type=" + (suspended ? "servlet" : type),
				"lock.web.waiting=" + (suspended ? "suspended" : "thread"), "lock.store=memory");
	}

	@RestController
	static class Transfers {

		private final AtomicInteger runs = new AtomicInteger();

		private final Accounts accounts;

		Transfers(Accounts accounts) {
			this.accounts = accounts;
		}

		public int runs() {
			return this.runs.get();
		}

		private String run() {
			this.runs.incrementAndGet();
			return "done";
		}

		@PostMapping("/plain")
		@ExclusiveRequest(name = "account", key = "#from", waitTime = "1m")
		@ExclusiveRequest(name = "account", key = "#to", waitTime = "1m", ttl = "1m", holdAtLeast = "1m")
		public String plain(@RequestParam String from, @RequestParam String to) {
			return run();
		}

		/** Its locks need the arguments. */
		@PostMapping("/bound")
		@ExclusiveRequest(name = "account", key = "#transfer.from", waitTime = "1m")
		@ExclusiveRequest(name = "account", key = "#transfer.to", waitTime = "1m", ttl = "1m", holdAtLeast = "1m")
		public String bound(Transfer transfer) {
			return run();
		}

		@PostMapping("/future")
		@ExclusiveRequest(name = "account", key = "#from", waitTime = "1m")
		@ExclusiveRequest(name = "account", key = "#to", waitTime = "1m", ttl = "1m", holdAtLeast = "1m")
		public CompletableFuture<String> future(@RequestParam String from, @RequestParam String to) {
			return CompletableFuture.completedFuture(run());
		}

		@PostMapping("/mono")
		@ExclusiveRequest(name = "account", key = "#from", waitTime = "1m")
		@ExclusiveRequest(name = "account", key = "#to", waitTime = "1m", ttl = "1m", holdAtLeast = "1m")
		public Mono<String> mono(@RequestParam String from, @RequestParam String to) {
			return Mono.fromCallable(this::run);
		}

		@PostMapping("/flux")
		@ExclusiveRequest(name = "account", key = "#from", waitTime = "1m")
		@ExclusiveRequest(name = "account", key = "#to", waitTime = "1m", ttl = "1m", holdAtLeast = "1m")
		public Flux<String> flux(@RequestParam String from, @RequestParam String to) {
			return Flux.just(run());
		}

		@PostMapping("/task")
		@ExclusiveRequest(name = "account", key = "#from", waitTime = "1m")
		@ExclusiveRequest(name = "account", key = "#to", waitTime = "1m", ttl = "1m", holdAtLeast = "1m")
		public Callable<String> task(@RequestParam String from, @RequestParam String to) {
			return this::run;
		}

		@PostMapping("/keys")
		@ExclusiveRequest(name = "account", keys = "{#from, #to}", waitTime = "1m")
		public String keys(@RequestParam String from, @RequestParam String to) {
			return run();
		}

		@PostMapping("/keys-later")
		@ExclusiveRequest(name = "account", keys = "{#from, #to}", waitTime = "1m")
		public Mono<String> keysLater(@RequestParam String from, @RequestParam String to) {
			return Mono.fromCallable(this::run);
		}

		@PostMapping("/joined")
		@ExclusiveRequest(name = "account", key = "#from")
		public String joined(@RequestParam String from, @RequestParam String to) {
			return this.accounts.move(from, to, this::run);
		}

		@PostMapping("/stream")
		@ExclusiveRequest(name = "account", key = "#from")
		public StreamingResponseBody stream(@RequestParam String from) {
			return (output) -> run();
		}

		@ExclusiveRequest(name = "account", key = "#from", onConflict = OnConflict.SKIP, waitTime = "1m")
		@ExclusiveRequest(name = "account", key = "#to", onConflict = OnConflict.SKIP, waitTime = "1m")
		public void job(String from, String to) {
			run();
		}

	}

	record Transfer(String from, String to) {
	}

	static class Accounts {

		@ExclusiveRequest(name = "account", key = "#from", waitTime = "1m")
		@ExclusiveRequest(name = "account", key = "#to", waitTime = "1m")
		public String move(String from, String to, Supplier<String> work) {
			return work.get();
		}

	}

	/** The threads for tasks of Spring MVC, which can be stopped. */
	static class Tasks implements WebMvcConfigurer {

		private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

		private volatile boolean stopped;

		@Override
		public void configureAsyncSupport(AsyncSupportConfigurer configurer) {
			configurer.setTaskExecutor(new TaskExecutorAdapter((task) -> {
				if (this.stopped) {
					this.waiting.add(task);
				}
				else {
					new Thread(task).start();
				}
			}));
		}

		void stop() {
			this.stopped = true;
		}

		void goOn() {
			this.stopped = false;
			this.waiting.forEach((task) -> new Thread(task).start());
		}

	}

}
