package io.github.lockstarter.starter;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Spring Data REST registers a second handler adapter of Spring MVC's type.
 */
class DataRestTests {

	@Test
	@DisplayName("With Spring Data REST present, an asynchronous handler waits for its lock, and its client gets 200")
	void asynchronousHandler() {
		try (ConfigurableApplicationContext context = SpringApplication.run(Application.class, "--server.port=0",
				"--server.address=127.0.0.1", "--lock.store=memory", "--lock.ttl=1m", "--spring.jmx.enabled=false")) {
			assertThat(context.getBeansOfType(RequestMappingHandlerAdapter.class)).hasSizeGreaterThan(1);
			int port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
			assertThat(get(port, "/visits").join().statusCode()).isEqualTo(200);
			Lease lease = context.getBean(LockRegistry.class).acquire("visit:1");
			CompletableFuture<HttpResponse<String>> waiting = get(port, "/wait?id=1");
			Awaitility.await()
				.until(() -> context.getBean(LockCounts.class).get("visit", LockCounts.Event.CONTENDED) > 0);
			lease.close();
			HttpResponse<String> response = waiting.orTimeout(1, TimeUnit.MINUTES).join();
			assertThat(response.body()).isEqualTo("1");
			assertThat(response.statusCode()).isEqualTo(200);
		}
	}

	private static CompletableFuture<HttpResponse<String>> get(int port, String path) {
		return HttpClient.newHttpClient()
			.sendAsync(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
					HttpResponse.BodyHandlers.ofString());
	}

	@SpringBootApplication
	static class Application {

		@RestController
		static class Visits {

			@GetMapping("/wait")
			@ExclusiveRequest(name = "visit", key = "#id", onConflict = OnConflict.WAIT)
			public CompletableFuture<String> visit(@RequestParam String id) {
				return CompletableFuture.completedFuture(id);
			}

		}

	}

}
