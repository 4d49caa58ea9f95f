package io.github.lockstarter.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.netty.http.client.HttpClient;

import org.springframework.core.io.InputStreamResource;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.ReactorClientHttpRequestFactory;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Behaviour of blocking clients only.
 */
class IdempotentRetryInterceptorTests {

	private final VirtualTime time = new VirtualTime();

	private final IdempotentRetryInterceptor interceptor = new IdempotentRetryInterceptor(
			this.time.retries(RetryLimits.DEFAULT, VirtualTime.ZERO), this.time);

	private ScriptedApi api;

	@BeforeEach
	void start() {
		this.api = new ScriptedApi();
	}

	@AfterEach
	void stop() {
		this.api.close();
	}

	@Test
	@DisplayName("A thread that is interrupted during a wait stops at once, and keeps its interrupt status")
	void interrupted() throws Exception {
		this.api.then(ScriptedApi.response(503, "", "", "Retry-After", "25"));
		assertThat(interrupt(new JdkClientHttpRequestFactory(), Thread.State.TIMED_WAITING))
			.isInstanceOf(ResourceAccessException.class)
			.hasCauseInstanceOf(InterruptedIOException.class);
		assertThat(this.api.requests()).hasSize(1);
	}

	static Stream<ClientHttpRequestFactory> factories() {
		return Stream.of(new JdkClientHttpRequestFactory(),
				new ReactorClientHttpRequestFactory(HttpClient.newConnection()));
	}

	@ParameterizedTest
	@MethodSource("factories")
	@DisplayName("A request that is aborted by an interrupt is not repeated")
	void interruptedRequest(ClientHttpRequestFactory factory) throws Exception {
		this.api.thenHang();
		assertThat(interrupt(factory, Thread.State.WAITING)).isInstanceOf(ResourceAccessException.class);
		assertThat(this.api.requests()).hasSize(1);
	}

	/**
	 * Interrupts a caller that has sent a request, and returns its failure.
	 */
	private Throwable interrupt(ClientHttpRequestFactory factory, Thread.State state) throws Exception {
		CompletableFuture<Throwable> outcome = new CompletableFuture<>();
		AtomicBoolean stillInterrupted = new AtomicBoolean();
		Thread caller = new Thread(() -> {
			try {
				client(factory, new IdempotentRetryInterceptor()).post()
					.uri(this.api.url())
					.retrieve()
					.toBodilessEntity();
				outcome.complete(null);
			}
			catch (RuntimeException ex) {
				stillInterrupted.set(Thread.currentThread().isInterrupted());
				outcome.complete(ex);
			}
		});
		caller.start();
		Awaitility.await().until(() -> this.api.requests().size() == 1 && caller.getState() == state);
		caller.interrupt();
		Throwable failure = outcome.get(20, TimeUnit.SECONDS);
		assertThat(stillInterrupted).isTrue();
		return failure;
	}

	@ParameterizedTest
	@ValueSource(strings = { "application/problem+json", "text/html" })
	@DisplayName("The responses of rejected attempts are closed, and the caller's response is not")
	void closed(String contentType) throws IOException {
		List<Response> responses = new ArrayList<>();
		ClientHttpResponse response = this.interceptor.intercept(request(), new byte[0], (sent, body) -> {
			assertThat(responses).allSatisfy((each) -> assertThat(each.closed).isTrue());
			Response attempt = new Response(new ByteArrayInputStream("{}".getBytes(StandardCharsets.UTF_8)));
			attempt.getHeaders().set("Content-Type", contentType);
			responses.add(attempt);
			return attempt;
		});
		assertThat(responses).hasSize(5);
		assertThat(responses.get(4).closed).isFalse();
		response.close();
		assertThat(responses.get(4).closed).isTrue();
	}

	@Test
	@DisplayName("A problem whose body breaks off fails the attempt, and its response is closed")
	void brokenProblem() {
		List<Response> responses = new ArrayList<>();
		assertThatIOException().isThrownBy(() -> this.interceptor.intercept(request(), new byte[0], (sent, body) -> {
			Response response = new Response(new InputStream() {

				@Override
				public int read() throws IOException {
					throw new IOException("broken off");
				}

			});
			response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
			responses.add(response);
			return response;
		})).withMessage("broken off");
		assertThat(responses).hasSize(5).allSatisfy((each) -> assertThat(each.closed).isTrue());
	}

	@Test
	@DisplayName("An oversized problem is passed to the caller with its whole body")
	void longProblem() {
		String detail = "x".repeat(1_000_000);
		this.api.thenProblem(409, "request-in-progress", ",\"detail\":\"" + detail + "\"");
		String body = client(this.interceptor).post()
			.uri(this.api.url())
			.exchange((sent, response) -> new String(response.getBody().readAllBytes(), StandardCharsets.UTF_8));
		assertThat(body).isEqualTo("{\"type\":\"request-in-progress\",\"status\":409,\"detail\":\"" + detail + "\"}");
		assertThat(this.api.requests()).hasSize(1);
	}

	@Test
	@DisplayName("A body that can be read only once is sent with each attempt")
	void streamedBody() {
		this.api.thenDrop(1).thenProblem(409, "request-in-progress", "");
		InputStream body = new ByteArrayInputStream("a file".getBytes(StandardCharsets.UTF_8));
		client(this.interceptor).post()
			.uri(this.api.url())
			.body(new InputStreamResource(body))
			.retrieve()
			.toBodilessEntity();
		assertThat(this.api.requests()).extracting(ScriptedApi.Sent::body)
			.containsExactly("a file", "a file", "a file");
	}

	@Test
	@DisplayName("Changes by a later interceptor apply to one attempt only, and an earlier interceptor sees one request")
	void otherInterceptors() {
		this.api.then(2, ScriptedApi.problem(409, "request-in-progress", ""));
		List<String> earlier = new ArrayList<>();
		RestClient.builder()
			.requestFactory(new JdkClientHttpRequestFactory())
			.requestInterceptor((request, body, next) -> {
				earlier.add("request");
				return next.execute(request, body);
			})
			.requestInterceptor(this.interceptor)
			.requestInterceptor((request, body, next) -> {
				request.getHeaders().add("Signature", "s" + this.api.requests().size());
				return next.execute(request, body);
			})
			.build()
			.post()
			.uri(this.api.url())
			.retrieve()
			.toBodilessEntity();
		assertThat(this.api.headers("Signature")).containsExactly(List.of("s0"), List.of("s1"), List.of("s2"));
		assertThat(earlier).hasSize(1);
	}

	@Test
	@DisplayName("An exception that is no connection failure is passed to the caller at once")
	void otherException() {
		List<String> attempts = new ArrayList<>();
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.interceptor.intercept(request(), new byte[0], (sent, body) -> {
				attempts.add("attempt");
				throw new IllegalStateException("a fault of the application");
			}));
		assertThat(attempts).hasSize(1);
	}

	private static ClientHttpRequest request() {
		return new MockClientHttpRequest(HttpMethod.POST, URI.create("http://localhost/"));
	}

	private static RestClient client(IdempotentRetryInterceptor interceptor) {
		return client(new JdkClientHttpRequestFactory(), interceptor);
	}

	private static RestClient client(ClientHttpRequestFactory factory, IdempotentRetryInterceptor interceptor) {
		return RestClient.builder().requestFactory(factory).requestInterceptor(interceptor).build();
	}

	private static final class Response extends MockClientHttpResponse {

		private boolean closed;

		Response(InputStream body) {
			super(body, HttpStatus.SERVICE_UNAVAILABLE);
		}

		@Override
		public void close() {
			this.closed = true;
		}

	}

}
