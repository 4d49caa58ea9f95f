package io.github.lockstarter.frontdoors;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.ResponseBuilder;
import jakarta.ws.rs.ext.ExceptionMapper;
import org.glassfish.jersey.server.ResourceConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

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

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks on resources of JAX-RS, which are Spring beans.
 */
@SpringBootTest(classes = JerseyTests.JerseyApplication.class, webEnvironment = WebEnvironment.RANDOM_PORT)
class JerseyTests {

	private final HttpClient http = HttpClient.newHttpClient();

	@Autowired
	private Work work;

	@Value("${local.server.port}")
	private int port;

	@AfterEach
	void reset() {
		this.work.reset();
	}

	@Test
	@DisplayName("Of two requests at once one runs, and the mapper of the application answers the other one")
	void oneRuns() throws Exception {
		CompletableFuture<HttpResponse<String>> first = this.http.sendAsync(request(this.port, "payments?id=42"),
				BodyHandlers.ofString());
		this.work.awaitBegun();
		HttpResponse<String> mapped = send(this.port, "payments?id=42");
		assertThat(mapped.statusCode()).isEqualTo(409);
		assertThat(mapped.headers().firstValue("Content-Type")).hasValue("application/problem+json");
		assertThat(mapped.headers().firstValue("Retry-After")).isPresent();
		assertThat(mapped.body()).contains("/problems/request-in-progress").doesNotContain("42");
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

	@Test
	@DisplayName("A key reads a header and the path")
	void request() throws Exception {
		this.work.end();
		assertThat(send(this.port, "payments/order").body()).isEqualTo("1");
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
		Resources resources(@Value("${mapper:true}") boolean mapper) {
			return new Resources(mapper);
		}

	}

	@ApplicationPath("/api")
	static class Resources extends ResourceConfig {

		Resources(boolean mapper) {
			register(Payments.class);
			if (mapper) {
				register(LockExceptionMapper.class);
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
		@Path("order")
		@ExclusiveRequest(name = "order", key = "header('X-Order') + path")
		public int order() {
			return this.work.run();
		}

	}

	public static class LockExceptionMapper implements ExceptionMapper<LockException> {

		@Override
		public Response toResponse(LockException exception) {
			ProblemDetail problem = exception.updateAndGetBody(null, Locale.ENGLISH);
			ResponseBuilder response = Response.status(problem.getStatus())
				.type("application/problem+json")
				.entity(problem);
			exception.getHeaders().forEach((name, values) -> values.forEach((value) -> response.header(name, value)));
			return response.build();
		}

	}

}
