package io.github.lockstarter.autoconfigure;

import java.lang.reflect.Method;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import org.aopalliance.intercept.MethodInterceptor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Role;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.Jobs;
import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.atIndex;

/**
 * Spring MVC handlers that wait for a lock, on a server with two threads.
 */
@Tag("jdk")
class WaitingWithoutThreadsTests {

	private static TestServer server;

	@BeforeAll
	static void start() {
		server = start("lock.wait=1m");
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@BeforeEach
	void forget() {
		server.context().getBean(Outside.class).seen.clear();
	}

	@ParameterizedTest
	@ValueSource(strings = { "value", "entity", "void", "view", "stage", "future", "callable", "task", "deferred",
			"emitter", "sse", "sse-entity", "stream", "stream-entity", "mono", "mono-entity", "entity-mono", "flux",
			"flux-sse" })
	@DisplayName("However many requests wait for a lock, other requests get a thread")
	void parksNoThread(String handler) throws Exception {
		LockRegistry locks = server.context().getBean(LockRegistry.class);
		Jobs.Job job = job(handler);
		job.finish();
		List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
		try (Lease held = locks.acquire("handler:" + handler)) {
			for (int i = 0; i < 10; i++) {
				waiting.add(server.postAsync("/servlet/" + handler + "?key=" + handler));
			}
			Awaitility.await().until(() -> new GuardedHandlers(server).waiters() == 10);
			assertThat(server.get("/free").body()).isEqualTo("free");
			assertThat(job.hasBegun()).isFalse();
			assertThat(held.isHeld()).isTrue();
		}
		for (CompletableFuture<HttpResponse<String>> each : waiting) {
			assertThat(each).succeedsWithin(Duration.ofSeconds(20))
				.satisfies((response) -> assertThat(response.statusCode()).isIn(200, 302));
		}
	}

	@Test
	@DisplayName("A wait that times out gets status 409, and the handler is not called")
	void conflict() throws Exception {
		try (TestServer hasty = start("lock.wait=200ms")) {
			try (Lease held = hasty.context().getBean(LockRegistry.class).acquire("handler:taro")) {
				HttpResponse<String> response = hasty.post("/servlet/deferred?key=taro");
				assertThat(response.statusCode()).isEqualTo(409);
				assertThat(response.body()).contains("wait-timeout");
				assertThat(held.isHeld()).isTrue();
			}
			assertThat(hasty.context().getBean(Jobs.class).get("taro").hasBegun()).isFalse();
		}
	}

	@Test
	@DisplayName("The wait does not count towards the timeout of asynchronous requests")
	void timeout() throws Exception {
		try (TestServer hasty = start("lock.wait=1m", "spring.mvc.async.request-timeout=2s")) {
			hasty.context().getBean(Jobs.class).get("taro").finish();
			CompletableFuture<HttpResponse<String>> waiting;
			try (Lease held = hasty.context().getBean(LockRegistry.class).acquire("handler:taro")) {
				waiting = hasty.postAsync("/servlet/deferred?key=taro");
				Awaitility.await().until(() -> new GuardedHandlers(hasty).waiters() == 1);
				// The timeout of this request shows that the other's would have passed
				// as well.
				assertThat(hasty.post("/servlet/deferred?key=jiro").statusCode()).isEqualTo(503);
				assertThat(held.isHeld()).isTrue();
			}
			assertThat(waiting).succeedsWithin(Duration.ofSeconds(10))
				.satisfies((response) -> assertThat(response.statusCode()).isEqualTo(200));
		}
	}

	@Test
	@DisplayName("Advice outside the lock gets a HandlerWaitsException, and later the real result")
	void adviceOutside() throws Exception {
		job("outside").finish();
		CompletableFuture<HttpResponse<String>> waiting;
		try (Lease held = server.context().getBean(LockRegistry.class).acquire("handler:outside")) {
			waiting = server.postAsync("/servlet/future?key=outside");
			Awaitility.await().until(() -> server.context().getBean(Outside.class).seen.size() == 1);
			assertThat(held.isHeld()).isTrue();
		}
		assertThat(waiting.join().body()).isEqualTo("done");
		assertThat(server.context().getBean(Outside.class).seen).hasSize(2)
			.satisfies((first) -> assertThat(first).hasToString(
					"io.github.lockstarter.web.servlet.HandlerWaitsException: " + ((Exception) first).getMessage()),
					atIndex(0))
			.satisfies((second) -> assertThat(second).isInstanceOf(CompletableFuture.class), atIndex(1));
	}

	@Test
	@DisplayName("A handler whose lock is free is called at once")
	void freeLock() throws Exception {
		// In memory, because Redis may take too long to answer.
		try (TestServer inMemory = start("lock.wait=1m", "lock.store=memory")) {
			inMemory.context().getBean(Jobs.class).get("taro").finish();
			assertThat(inMemory.post("/servlet/future?key=taro").body()).isEqualTo("done");
			assertThat(inMemory.context().getBean(Outside.class).seen).singleElement()
				.isInstanceOf(CompletableFuture.class);
		}
	}

	@ParameterizedTest
	@CsvSource({ "/status?key=taro, 201, seen: ja_JP /status", "/failing?key=taro, 410, ", "/nothing?key=taro, 200, ",
			"/redirect?key=taro, 302, ", "/model?key=taro, 200, hello taro" })
	@DisplayName("A handler that waited has Spring MVC's usual request context, and its response is handled as usual")
	void resumed(String path, int status, String body) throws Exception {
		HttpResponse<String> response = server.post(path, "Accept-Language", "ja-JP", "X-User", "taro");
		assertThat(response.statusCode()).isEqualTo(status);
		if (body != null) {
			assertThat(response.body()).isEqualTo(body);
		}
		if (status == 302) {
			assertThat(response.headers().firstValue("Location"))
				.hasValueSatisfying((location) -> assertThat(location).endsWith("/elsewhere?name=taro"));
		}
		server.context().getBean(LockRegistry.class).acquire("handler:taro").close();
	}

	private static Jobs.Job job(String key) {
		return server.context().getBean(Jobs.class).get(key);
	}

	private static TestServer start(String... properties) {
		return TestServer.start(
				new Class<?>[] { TestServer.Application.class, Jobs.class, ServletHandlers.class, Free.class,
						Resumed.class, Outside.class },
				Stream
					.concat(Stream.of(TestRedis.properties()),
							Stream.concat(Stream.of(properties),
									Stream.of("lock.redis.key-prefix=waiting", "lock.web.waiting=suspended",
											"server.tomcat.threads.max=2", "server.tomcat.threads.min-spare=1")))
					.toArray(String[]::new));
	}

	/** Advice outside of the lock of every handler. */
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static class Outside extends StaticMethodMatcherPointcutAdvisor {

		private final transient List<Object> seen = new CopyOnWriteArrayList<>();

		Outside() {
			setOrder(0);
			setAdvice((MethodInterceptor) (invocation) -> {
				try {
					Object result = invocation.proceed();
					this.seen.add(result);
					return result;
				}
				catch (Throwable ex) {
					this.seen.add(ex);
					throw ex;
				}
			});
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return targetClass == ServletHandlers.class && method.getName().equals("future");
		}

	}

	/** A handler without a lock. */
	@RestController
	static class Free {

		@GetMapping("/free")
		String free() {
			return "free";
		}

	}

	/** A handler that uses Spring MVC's request state. */
	@Controller
	@ExclusiveRequest(name = "handler", key = "#key")
	static class Resumed {

		@PostMapping("/status")
		@ResponseBody
		@ResponseStatus(HttpStatus.CREATED)
		CompletableFuture<String> status(@RequestParam String key, @RequestHeader("X-User") String user) {
			assertThat(RequestContextHolder.getRequestAttributes()).isNotNull();
			return CompletableFuture.completedFuture("seen: " + LocaleContextHolder.getLocale() + " /status");
		}

		@PostMapping("/failing")
		DeferredResult<String> failing(@RequestParam String key) {
			throw new ResponseStatusException(HttpStatus.GONE);
		}

		@PostMapping("/nothing")
		@ResponseBody
		DeferredResult<String> nothing(@RequestParam String key) {
			return null;
		}

		@PostMapping("/redirect")
		CompletableFuture<String> redirect(@RequestParam String key, RedirectAttributes redirect) {
			redirect.addAttribute("name", key);
			return CompletableFuture.completedFuture("redirect:/elsewhere");
		}

		@PostMapping("/model")
		CompletableFuture<View> model(@RequestParam String key, Model model) {
			model.addAttribute("name", key);
			return CompletableFuture.completedFuture(
					(attributes, request, response) -> response.getWriter().write("hello " + attributes.get("name")));
		}

	}

}
