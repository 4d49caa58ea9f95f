package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.tomcat.reactive.TomcatReactiveWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.server.WebFilter;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.Jobs;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.SharedServers;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The threads on which application code runs, after different events of the lock.
 */
@Tag("jdk")
class ApplicationThreadsTests {

	private static final SharedServers servers = new SharedServers();

	private static LocalRedis redis;

	private TestServer server;

	@BeforeAll
	static void startRedis() {
		redis = LocalRedis.started();
	}

	@AfterAll
	static void stop() {
		servers.close();
		redis.close();
	}

	@AfterEach
	void thaw() {
		redis.thaw();
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("Spring MVC: no application code runs on a thread of the engine or the driver")
	void servlet(Situation situation) throws Exception {
		requests(situation, "servlet", List.of("plain", "future", "deferred", "entity", "mono", "flux"));
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("Spring WebFlux: no application code runs on a thread of the engine or the driver")
	void reactive(Situation situation) throws Exception {
		requests(situation, "reactive", List.of("future", "entity", "mono", "flux"));
	}

	@Test
	@DisplayName("On Reactor Netty, a WebFlux handler that returns a Mono is called on the event loop of its request")
	void eventLoop() throws Exception {
		use("reactive", Situation.GRANTED.wait);
		finishedJob("netty");
		assertThat(this.server.post("/mono?key=netty").statusCode()).isEqualTo(200);
		assertThat(threadOf("mono")).startsWith("reactor-http-").isEqualTo(threadOf("request"));
	}

	@Test
	@DisplayName("On Tomcat, a WebFlux handler that returns a Mono is called on a thread that may block, as it is without a server")
	void noEventLoop() throws Exception {
		try (TestServer onTomcat = TestServer.start(sources(OnTomcat.class), properties("reactive", "0s"))) {
			this.server = onTomcat;
			finishedJob("tomcat");
			assertThat(this.server.post("/mono?key=tomcat").statusCode()).isEqualTo(200);
			assertThat(threadOf("request")).startsWith("http-nio-");
			// The thread of the request continues itself if the store has answered by
			// then.
			assertThat(threadOf("mono")).matches("(boundedElastic|http-nio)-.*");
			seen().where.clear();
			finishedJob("mock");
			WebTestClient.bindToApplicationContext(this.server.context())
				.build()
				.post()
				.uri("/mono?key=mock")
				.exchange()
				.expectStatus()
				.isOk();
			assertThat(threadOf("mono")).startsWith("parallel-");
		}
	}

	private void finishedJob(String key) {
		this.server.context().getBean(Jobs.class).get(key).finish();
	}

	private String threadOf(String what) {
		return seen().where.stream()
			.filter((each) -> each.startsWith(what + " on "))
			.findFirst()
			.orElseThrow()
			.substring((what + " on ").length());
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("Beans: no application code runs on a thread of the engine or the driver")
	void beans(Situation situation) throws Exception {
		use("none", situation.wait);
		Handlers handlers = this.server.context().getBean(Handlers.class);
		Seen seen = seen();
		run(situation,
				Map.of("future", (key) -> handlers.future(key).handle((value, failure) -> seen.here("after future")),
						"mono",
						(key) -> handlers.mono(key)
							.doOnEach((signal) -> seen.here("signal of mono"))
							.doFinally((signal) -> seen.here("after mono"))
							.onErrorComplete()
							.toFuture(),
						"flux",
						(key) -> handlers.flux(key)
							.doOnEach((signal) -> seen.here("signal of flux"))
							.doFinally((signal) -> seen.here("after flux"))
							.onErrorComplete()
							.then()
							.toFuture()));
		assertThat(seen.where).hasSizeGreaterThan(3);
	}

	private void requests(Situation situation, String type, List<String> paths) throws Exception {
		use(type, situation.wait);
		run(situation, paths.stream()
			.collect(Collectors.toMap(Function.identity(), (path) -> (key) -> this.server
				.postAsync("/" + path + "?key=" + key)
				.thenAccept((response) -> assertThat(response).returns(situation.status, HttpResponse::statusCode)))));
		assertThat(seen().where).hasSizeGreaterThan(paths.size());
	}

	private Seen seen() {
		return this.server.context().getBean(Seen.class);
	}

	/** Uses one server for all situations that permit it. */
	private void use(String type, String wait) {
		this.server = servers.get(sources(), properties(type, wait));
		seen().where.clear();
		// Connecting takes time, also after Redis was frozen.
		Awaitility.await()
			.ignoreExceptionsInstanceOf(LockException.class)
			.untilAsserted(() -> this.server.context().getBean(LockRegistry.class).acquire("connect").close());
	}

	private static Class<?>[] sources(Class<?>... more) {
		return Stream
			.concat(Stream.of(TestServer.CompleteApplication.class, Jobs.class, Handlers.class, Seen.class,
					Advice.class, OfServlet.class, OfExchange.class), Stream.of(more))
			.toArray(Class<?>[]::new);
	}

	private static String[] properties(String type, String wait) {
		return new String[] { "spring.main.web-application-type=" + type, "spring.data.redis.port=" + redis.port(),
				"spring.data.redis.host=127.0.0.1", "lock.ttl=1m", "lock.wait=" + wait };
	}

	/** Causes the same event for the locks of all calls, each of which has its own. */
	private void run(Situation situation, Map<String, Call> calls) throws Exception {
		LockRegistry locks = this.server.context().getBean(LockRegistry.class);
		List<String> names = calls.keySet().stream().map((call) -> call + "-" + situation).toList();
		List<Jobs.Job> jobs = names.stream().map(this.server.context().getBean(Jobs.class)::get).toList();
		List<LockKey> keys = names.stream().map((name) -> new LockKey("threads", name)).toList();
		List<Lease> held = situation.contended
				? keys.stream().map((key) -> locks.acquire(key, locks.options("threads"))).toList() : List.of();
		if (situation == Situation.FROZEN || situation == Situation.FROZEN_WHEN_ASKED) {
			redis.freeze();
		}
		List<CompletableFuture<?>> ends = new ArrayList<>();
		for (Map.Entry<String, Call> call : calls.entrySet()) {
			ends.add(begin(call.getValue(), call.getKey() + "-" + situation));
		}
		if (situation == Situation.GRANTED_LATER || situation == Situation.FROZEN_WHILE_WAITING) {
			GuardedHandlers handlers = new GuardedHandlers(this.server);
			Awaitility.await().until(() -> keys.stream().allMatch((key) -> handlers.waiters(key) == 1));
			if (situation == Situation.FROZEN_WHILE_WAITING) {
				redis.freeze();
			}
			held.forEach(Lease::releaseAsync);
		}
		if (situation == Situation.RELEASED_WHILE_FROZEN) {
			for (Jobs.Job job : jobs) {
				job.awaitBegun();
			}
			redis.freeze();
		}
		jobs.forEach(Jobs.Job::finish);
		assertThat(ends).allSatisfy((end) -> assertThat(end).succeedsWithin(Duration.ofSeconds(50)));
		redis.thaw();
		held.forEach(Lease::close);
		assertThat(seen().where).noneMatch((each) -> each.matches(".* on (lock-(?!answers-)|lettuce-|.*[tT]imer).*"));
	}

	/** Without a wait, a bean's method fails on its caller's thread. */
	private static CompletableFuture<?> begin(Call call, String key) {
		try {
			return call.begin(key);
		}
		catch (LockException ex) {
			return CompletableFuture.completedFuture(null);
		}
	}

	/** The event of the lock. */
	enum Situation {

		GRANTED(false, "0s", 200), GRANTED_LATER(true, "1m", 200), CONFLICT(true, "0s", 418),
		WAIT_TIMEOUT(true, "300ms", 418), FROZEN(false, "0s", 418), FROZEN_WHEN_ASKED(false, "1m", 418),
		FROZEN_WHILE_WAITING(true, "1m", 418), RELEASED_WHILE_FROZEN(false, "0s", 200);

		private final boolean contended;

		private final String wait;

		private final int status;

		Situation(boolean contended, String wait, int status) {
			this.contended = contended;
			this.wait = wait;
			this.status = status;
		}

	}

	/** Calls the guarded method. */
	private interface Call {

		CompletableFuture<?> begin(String key);

	}

	/** The threads on which application code has run. */
	static class Seen {

		private final Queue<String> where = new ConcurrentLinkedQueue<>();

		@Nullable Object here(String what) {
			this.where.add(what + " on " + Thread.currentThread().getName());
			return null;
		}

	}

	@RestController
	@ExclusiveRequest(name = "threads", key = "#key")
	static class Handlers {

		private final Jobs jobs;

		private final Seen seen;

		Handlers(Jobs jobs, Seen seen) {
			this.jobs = jobs;
			this.seen = seen;
		}

		@PostMapping("/future")
		public CompletableFuture<String> future(@RequestParam String key) {
			this.seen.here("future");
			return this.jobs.get(key).begin().thenApply((value) -> value);
		}

		@PostMapping("/mono")
		public Mono<String> mono(@RequestParam String key) {
			this.seen.here("mono");
			return work(key);
		}

		@PostMapping("/flux")
		public Flux<String> flux(@RequestParam String key) {
			this.seen.here("flux");
			return Flux.concat(Mono.just("first"), work(key)).doFinally(this::ended);
		}

		@PostMapping("/entity")
		public ResponseEntity<Mono<String>> entity(@RequestParam String key) {
			this.seen.here("entity");
			return ResponseEntity.ok(work(key));
		}

		private Mono<String> work(String key) {
			return Mono.fromFuture(() -> this.jobs.get(key).begin(), true).doFinally(this::ended);
		}

		private void ended(SignalType signal) {
			this.seen.here("end by " + signal);
		}

	}

	@RestControllerAdvice
	@Order(Ordered.HIGHEST_PRECEDENCE)
	static class Advice {

		private final Seen seen;

		Advice(Seen seen) {
			this.seen = seen;
		}

		@ExceptionHandler
		ResponseEntity<String> handle(LockException ex) {
			this.seen.here("handler of " + ex.getClass().getSimpleName());
			return ResponseEntity.status(418).build();
		}

	}

	@RestController
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	static class OfServlet implements WebMvcConfigurer {

		private final Jobs jobs;

		private final Seen seen;

		OfServlet(Jobs jobs, Seen seen) {
			this.jobs = jobs;
			this.seen = seen;
		}

		@PostMapping("/plain")
		@ExclusiveRequest(name = "threads", key = "#key")
		public String plain(@RequestParam String key) {
			this.seen.here("plain");
			return this.jobs.get(key).run();
		}

		@PostMapping("/deferred")
		@ExclusiveRequest(name = "threads", key = "#key")
		public DeferredResult<String> deferred(@RequestParam String key) {
			this.seen.here("deferred");
			DeferredResult<String> result = new DeferredResult<>();
			result.onCompletion(() -> this.seen.here("deferred result completed"));
			this.jobs.get(key).begin().thenAccept(result::setResult);
			return result;
		}

		@Override
		public void addInterceptors(InterceptorRegistry registry) {
			registry.addInterceptor(new HandlerInterceptor() {

				@Override
				public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
						@Nullable Exception failure) {
					OfServlet.this.seen.here("interceptor");
				}

			});
		}

	}

	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	static class OfExchange {

		@Bean
		WebFilter filter(Seen seen) {
			return (exchange, chain) -> {
				seen.here("request");
				return chain.filter(exchange)
					.doOnEach((signal) -> seen.here("filter"))
					.doFinally((signal) -> seen.here("end of filter"));
			};
		}

	}

	static class OnTomcat {

		@Bean
		TomcatReactiveWebServerFactory webServer() {
			return new TomcatReactiveWebServerFactory();
		}

	}

}
