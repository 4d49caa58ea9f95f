package io.github.lockstarter.frontdoors;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.ResponseBuilder;
import jakarta.ws.rs.ext.ExceptionMapper;
import org.glassfish.jersey.server.ResourceConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ProblemDetail;
import org.springframework.stereotype.Component;

import io.github.lockstarter.LockException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.web.LockProblems;
import io.github.lockstarter.registry.LockInspector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locks on resources of JAX-RS, which are Spring beans.
 */
@SpringBootTest(classes = JerseyTests.JerseyApplication.class, webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = "server.tomcat.threads.max=4")
class JerseyTests {

	private final HttpClient http = HttpClient.newHttpClient();

	@Autowired
	private Work work;

	@Autowired
	private LockInspector locks;

	@Value("${local.server.port}")
	private int port;

	@AfterEach
	void reset() {
		this.work.reset();
	}

	@Test
	@DisplayName("Of two requests at once one runs, and the mapper of the application responds to the other one")
	void oneRuns() throws Exception {
		CompletableFuture<HttpResponse<String>> first = this.http.sendAsync(request(this.port, "payments?id=taro"),
				BodyHandlers.ofString());
		this.work.awaitBegun();
		HttpResponse<String> mapped = send(this.port, "payments?id=taro");
		assertThat(mapped.statusCode()).isEqualTo(409);
		assertThat(mapped.headers().firstValue("Content-Type")).hasValue("application/problem+json");
		assertThat(mapped.headers().firstValue("Retry-After")).isPresent();
		assertThat(mapped.body()).contains("https://api.example.com/problems/request-in-progress")
			.doesNotContain("taro");
		this.work.end();
		assertThat(first.join().body()).isEqualTo("1");
		assertThat(this.work.mostInside()).isEqualTo(1);
	}

	@Test
	@DisplayName("Without a mapper, the status is 500")
	void withoutMapper() throws Exception {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(JerseyApplication.class)
			.properties("mapper=false", "server.port=0")
			.run()) {
			int port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
			assertThat(send(port, "payments?id=").statusCode()).isEqualTo(500);
		}
	}

	@ParameterizedTest
	@CsvSource({ "servlet, /payments/order/5", "filter, /api/payments/order/5" })
	@DisplayName("A key reads headers, the path and parameters of the query, but no path variables")
	void request(String type, String path) throws Exception {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(JerseyApplication.class)
			.properties("spring.jersey.type=" + type, "server.servlet.register-default-servlet=true", "server.port=0")
			.run()) {
			int port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
			Work work = context.getBean(Work.class);
			CompletableFuture<HttpResponse<String>> response = this.http
				.sendAsync(request(port, "payments/order/5?currency=EUR"), BodyHandlers.ofString());
			work.awaitBegun();
			assertThat(context.getBean(LockInspector.class).snapshot()).extracting((lock) -> lock.key().key())
				.containsExactly("7 %s EUR null".formatted(path));
			work.end();
			assertThat(response.join().body()).isEqualTo("1");
		}
	}

	@Test
	@DisplayName("At most half of the threads of the container wait")
	void waitingThreads() throws Exception {
		CompletableFuture<HttpResponse<String>> holder = this.http.sendAsync(request(this.port, "payments/later?id=42"),
				BodyHandlers.ofString());
		this.work.awaitBegun();
		List<CompletableFuture<HttpResponse<String>>> waiters = Stream
			.generate(() -> this.http.sendAsync(request(this.port, "payments/later?id=42"), BodyHandlers.ofString()))
			.limit(2)
			.toList();
		await().until(() -> this.locks.waiters("payment") == 2);
		assertThat(send(this.port, "payments/later?id=42").body()).contains("/problems/wait-queue-full");
		Stream.concat(Stream.of(holder), waiters.stream()).forEach((each) -> this.work.end());
		assertThat(holder.join().statusCode()).isEqualTo(200);
		assertThat(waiters).allMatch((waiter) -> waiter.join().statusCode() == 200);
		assertThat(this.work.mostInside()).isEqualTo(1);
	}

	private HttpResponse<String> send(int port, String path) throws IOException, InterruptedException {
		return this.http.send(request(port, path), BodyHandlers.ofString());
	}

	private static HttpRequest request(int port, String path) {
		return HttpRequest.newBuilder(URI.create("http://localhost:%d/api/%s".formatted(port, path)))
			.header("X-Order", "7")
			.POST(BodyPublishers.noBody())
			.build();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Payments.class)
	static class JerseyApplication {

		@Bean
		Work work() {
			return new Work();
		}

		@Bean
		Resources resources(@Value("${mapper:true}") boolean mapper, LockProblems problems) {
			return new Resources(mapper ? new LockExceptionMapper(problems) : null);
		}

	}

	@ApplicationPath("/api")
	static class Resources extends ResourceConfig {

		Resources(@Nullable LockExceptionMapper mapper) {
			register(Payments.class);
			if (mapper != null) {
				register(mapper);
			}
		}

	}

	@Component
	@Path("payments")
	public static class Payments {

		private final Work work;

		public Payments(Work work) {
			this.work = work;
		}

		@POST
		@ExclusiveRequest(name = "payment", key = "#id")
		public int pay(@QueryParam("id") String id) {
			return this.work.run();
		}

		@POST
		@Path("later")
		@ExclusiveRequest(name = "payment", key = "#id", waitTime = "1m")
		public int payLater(@QueryParam("id") String id) {
			return this.work.run();
		}

		@POST
		@Path("order/{id}")
		@ExclusiveRequest(name = "order",
				key = "header('X-Order') + ' ' + path + ' ' + param('currency') + ' ' + pathVariable('id')")
		public int order() {
			return this.work.run();
		}

	}

	public static class LockExceptionMapper implements ExceptionMapper<LockException> {

		private final LockProblems problems;

		LockExceptionMapper(LockProblems problems) {
			this.problems = problems;
		}

		@Override
		public Response toResponse(LockException exception) {
			ProblemDetail problem = this.problems.describe(exception, Locale.ENGLISH);
			ResponseBuilder response = Response.status(problem.getStatus())
				.type("application/problem+json")
				.entity(problem);
			exception.getHeaders().forEach((name, values) -> values.forEach((value) -> response.header(name, value)));
			return response.build();
		}

	}

}
