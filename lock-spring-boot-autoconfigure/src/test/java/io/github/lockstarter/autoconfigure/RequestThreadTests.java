package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.http.ResponseEntity;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.Jobs;
import io.github.lockstarter.testing.RawRequest;
import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Spring MVC's request state is accessed by the container's threads for the request only.
 */
class RequestThreadTests {

	@ParameterizedTest
	@ValueSource(strings = { "emitter", "stream", "mono-stream" })
	@DisplayName("A result completed by another thread does not touch the request")
	void completedByOtherThread(String handler) throws Exception {
		try (TestServer server = TestServer.start(
				new Class<?>[] { TestServer.CompleteApplication.class, Jobs.class, Later.class, Watch.class },
				Stream.concat(Stream.of(TestRedis.properties()), Stream.of("lock.redis.key-prefix=request-thread"))
					.toArray(String[]::new))) {
			String key = UUID.randomUUID().toString();
			Jobs.Job job = server.context().getBean(Jobs.class).get(key);
			GuardedHandlers handlers = new GuardedHandlers(server);
			try (RawRequest request = RawRequest.post(server.port(), "/" + handler + "?key=" + key)) {
				job.awaitBegun();
				handlers.assertHeld("/" + handler, key);
				Watch watch = server.context().getBean(Watch.class);
				List<Integer> interceptors = watch.interceptors(key);
				job.finish();
				assertThat(request.readResponse()).startsWith("HTTP/1.1 200").contains("done");
				assertThat(watch.interceptors(key)).isEqualTo(interceptors);
				assertThat(watch.strangers).isEmpty();
			}
			handlers.awaitFree(key);
		}
	}

	/** A handler whose entity is completed long after it has returned. */
	@RestController
	@ExclusiveRequest(name = "handler", key = "#key")
	static class Later {

		private final Jobs jobs;

		Later(Jobs jobs) {
			this.jobs = jobs;
		}

		@PostMapping("/emitter")
		CompletableFuture<ResponseEntity<SseEmitter>> emitter(@RequestParam String key) {
			return this.jobs.get(key).begin().thenApply((value) -> {
				SseEmitter emitter = new SseEmitter();
				CompletableFuture.runAsync(() -> send(emitter, value));
				return ResponseEntity.ok(emitter);
			});
		}

		@PostMapping("/stream")
		CompletableFuture<ResponseEntity<StreamingResponseBody>> stream(@RequestParam String key) {
			return this.jobs.get(key)
				.begin()
				.thenApply((value) -> ResponseEntity.ok((out) -> out.write(value.getBytes())));
		}

		@PostMapping("/mono-stream")
		Mono<ResponseEntity<StreamingResponseBody>> monoStream(@RequestParam String key) {
			return Mono.fromFuture(() -> stream(key));
		}

		private static void send(SseEmitter emitter, String value) {
			try {
				emitter.send(value);
				emitter.complete();
			}
			catch (IOException ex) {
				emitter.completeWithError(ex);
			}
		}

	}

	/** Observes the threads that access request state. */
	static class Watch extends OncePerRequestFilter {

		private final Queue<String> strangers = new ConcurrentLinkedQueue<>();

		private final Map<String, WebAsyncManager> managers = new ConcurrentHashMap<>();

		/**
		 * Returns the numbers of interceptors that are registered with the request for
		 * the key.
		 */
		private List<Integer> interceptors(String key) {
			return Stream.of("callableInterceptors", "deferredResultInterceptors")
				.map((field) -> (Map<?, ?>) ReflectionTestUtils.getField(this.managers.get(key), field))
				.map(Map::size)
				.toList();
		}

		@Override
		protected boolean shouldNotFilterAsyncDispatch() {
			return false;
		}

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			this.managers.putIfAbsent(request.getParameter("key"), WebAsyncUtils.getAsyncManager(request));
			chain.doFilter(new HttpServletRequestWrapper(request) {

				@Override
				public Object getAttribute(String name) {
					if (!Thread.currentThread().getName().startsWith("http-")) {
						Watch.this.strangers.add(name + " on " + Thread.currentThread().getName());
					}
					return super.getAttribute(name);
				}

			}, response);
		}

	}

}
