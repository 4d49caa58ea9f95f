package io.github.lockstarter.autoconfigure;

import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.Jobs;
import io.github.lockstarter.testing.Jobs.Job;
import io.github.lockstarter.testing.RawRequest;
import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.SharedServers;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

class ReleaseOnTests {

	@AutoClose
	private static final SharedServers servers = new SharedServers();

	@ParameterizedTest
	@CsvSource({ "servlet, /value", "servlet, /entity", "servlet, /callable", "servlet, /future", "servlet, /mono",
			"reactive, /entity", "reactive, /mono" })
	@DisplayName("With release-on=response, the lock is held while the response is written")
	void response(String type, String handler) throws Exception {
		TestServer server = server(type, "response");
		String key = UUID.randomUUID().toString();
		Job writing = server.context().getBean(Jobs.class).get(key);
		GuardedHandlers handlers = new GuardedHandlers(server);
		try (RawRequest request = RawRequest.post(server.port(), handler + "?key=" + key)) {
			writing.awaitBegun();
			handlers.assertHeld(handler, key);
			writing.finish();
			assertThat(request.readResponse()).startsWith("HTTP/1.1 200").contains("\"text\":\"done\"");
		}
		handlers.awaitFree(key);
		handlers.assertNothingLeft(key);
	}

	@ParameterizedTest
	@CsvSource({ "servlet, /value", "servlet, /callable", "servlet, /mono", "reactive, /entity", "reactive, /mono" })
	@DisplayName("With release-on=method, the default, the lock is free while the response is written")
	void method(String type, String handler) throws Exception {
		TestServer server = server(type, "method");
		String key = UUID.randomUUID().toString();
		Job writing = server.context().getBean(Jobs.class).get(key);
		GuardedHandlers handlers = new GuardedHandlers(server);
		try (RawRequest request = RawRequest.post(server.port(), handler + "?key=" + key)) {
			writing.awaitBegun();
			handlers.assertFree(key);
			writing.finish();
			assertThat(request.readResponse()).startsWith("HTTP/1.1 200");
		}
		handlers.assertNothingLeft(key);
	}

	@ParameterizedTest
	@CsvSource({ "servlet, /failing", "servlet, /failing-later", "reactive, /failing-later" })
	@DisplayName("With release-on=response, the lock is released after a failure, too")
	void failure(String type, String handler) throws Exception {
		TestServer server = server(type, "response");
		String key = UUID.randomUUID().toString();
		assertThat(server.post(handler + "?key=" + key).statusCode()).isEqualTo(500);
		new GuardedHandlers(server).awaitFree(key);
	}

	private static TestServer server(String type, String releaseOn) {
		return servers
			.get(new Class<?>[] { TestServer.Application.class, Jobs.class, Handlers.class,
					type.equals("servlet") ? OfServlet.class : Object.class },
					Stream
						.concat(Stream.of(TestRedis.properties()),
								Stream.of("spring.main.web-application-type=" + type,
										"lock.redis.key-prefix=release-on", "lock.web.release-on=" + releaseOn))
						.toArray(String[]::new));
	}

	/** A body that is slow to write. */
	static final class Slow {

		private final Job writing;

		Slow(Job writing) {
			this.writing = writing;
		}

		public String getText() {
			return this.writing.run();
		}

	}

	@RestController
	@ExclusiveRequest(name = "handler", key = "#key")
	static class Handlers {

		private final Jobs jobs;

		Handlers(Jobs jobs) {
			this.jobs = jobs;
		}

		@PostMapping("/entity")
		ResponseEntity<Slow> entity(@RequestParam String key) {
			return ResponseEntity.ok(new Slow(this.jobs.get(key)));
		}

		@PostMapping("/mono")
		Mono<Slow> mono(@RequestParam String key) {
			return Mono.fromSupplier(() -> new Slow(this.jobs.get(key)));
		}

		@PostMapping("/failing-later")
		Mono<Slow> failingLater(@RequestParam String key) {
			return Mono.error(new IllegalStateException("failed as asked"));
		}

	}

	/** A handler that Spring WebFlux cannot lock until the response ends. */
	@RestController
	@ExclusiveRequest(name = "handler", key = "#key")
	static class OfServlet {

		private final Jobs jobs;

		OfServlet(Jobs jobs) {
			this.jobs = jobs;
		}

		@PostMapping("/value")
		Slow value(@RequestParam String key) {
			return new Slow(this.jobs.get(key));
		}

		@PostMapping("/callable")
		Callable<Slow> callable(@RequestParam String key) {
			return () -> value(key);
		}

		@PostMapping("/future")
		CompletableFuture<Slow> future(@RequestParam String key) {
			return CompletableFuture.supplyAsync(() -> value(key));
		}

		@PostMapping("/failing")
		Slow failing(@RequestParam String key) {
			throw new IllegalStateException("failed as asked");
		}

	}

}
