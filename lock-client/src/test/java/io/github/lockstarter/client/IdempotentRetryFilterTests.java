package io.github.lockstarter.client;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;
import reactor.test.scheduler.VirtualTimeScheduler;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.util.JdkIdGenerator;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientRequestException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Behaviour of reactive clients only.
 */
@ExtendWith(OutputCaptureExtension.class)
class IdempotentRetryFilterTests {

	private static final ClientRequest REQUEST = ClientRequest
		.create(HttpMethod.POST, URI.create("http://localhost/orders"))
		.build();

	private final VirtualTime time = new VirtualTime();

	private final IdempotentRetryFilter filter = new IdempotentRetryFilter(
			this.time.retries(RetryLimits.DEFAULT, VirtualTime.ZERO), this.time);

	private final VirtualTimeScheduler scheduler = VirtualTimeScheduler.create();

	private final IdempotentRetryFilter virtual = new IdempotentRetryFilter(
			new Retries(RetryLimits.DEFAULT, new JdkIdGenerator(), VirtualTime.ZERO,
					() -> this.scheduler.now(TimeUnit.NANOSECONDS), InstantSource.system()),
			this.scheduler);

	private ScriptedApi api;

	@BeforeEach
	void start() {
		this.api = new ScriptedApi();
	}

	@AfterEach
	void stop() {
		this.api.close();
		this.scheduler.dispose();
	}

	@Test
	@DisplayName("No thread is blocked during the wait for the next attempt, which starts on time")
	void waitsWithoutThread() {
		AtomicInteger attempts = new AtomicInteger();
		Mono<ClientResponse> response = this.virtual.filter(REQUEST,
				(sent) -> Mono.just((attempts.incrementAndGet() < 3) ? unavailable("10").build() : created()));
		List<HttpStatus> statuses = new ArrayList<>();
		// Would block until the response if the wait used this thread.
		response.subscribe((each) -> statuses.add(HttpStatus.valueOf(each.statusCode().value())));
		assertThat(attempts).hasValue(1);
		this.scheduler.advanceTimeBy(Duration.ofMillis(9_999));
		assertThat(attempts).hasValue(1);
		this.scheduler.advanceTimeBy(Duration.ofMillis(1));
		assertThat(attempts).hasValue(2);
		this.scheduler.advanceTimeBy(Duration.ofSeconds(10));
		assertThat(statuses).containsExactly(HttpStatus.CREATED);
	}

	@Test
	@DisplayName("A request that is cancelled during a wait is not repeated, and leaves no timer")
	void cancelled() {
		AtomicInteger attempts = new AtomicInteger();
		Disposable caller = this.virtual.filter(REQUEST, (sent) -> {
			attempts.incrementAndGet();
			return Mono.just(unavailable("10").build());
		}).subscribe();
		assertThat(this.scheduler.getScheduledTaskCount()).isEqualTo(1);
		caller.dispose();
		this.scheduler.advanceTimeBy(Duration.ofHours(1));
		assertThat(attempts).hasValue(1);
	}

	@Test
	@DisplayName("A request that is cancelled in flight is aborted, and not repeated")
	void cancelledOnItsWay() {
		AtomicInteger attempts = new AtomicInteger();
		AtomicInteger brokenOff = new AtomicInteger();
		this.virtual.filter(REQUEST, (sent) -> {
			attempts.incrementAndGet();
			return Mono.<ClientResponse>never().doOnCancel(brokenOff::incrementAndGet);
		}).subscribe().dispose();
		this.scheduler.advanceTimeBy(Duration.ofHours(1));
		assertThat(attempts).hasValue(1);
		assertThat(brokenOff).hasValue(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "application/problem+json", "text/html" })
	@DisplayName("The buffers of all rejected attempts are released, and the last response can be read")
	void released(String contentType) {
		List<ByteBuf> buffers = new ArrayList<>();
		ClientResponse response = this.filter.filter(REQUEST, (sent) -> {
			Flux<DataBuffer> body = Flux.just("{\"type\":", "\"about:blank\"}").map((part) -> buffer(part, buffers));
			return Mono.just(ClientResponse.create(HttpStatus.SERVICE_UNAVAILABLE)
				.header("Content-Type", contentType)
				.body(body)
				.build());
		}).block();
		assertThat(this.time.delays()).hasSize(4);
		assertThat(buffers).hasSizeGreaterThanOrEqualTo(8).allSatisfy((each) -> assertThat(each.refCnt()).isZero());
		assertThat(response.bodyToMono(String.class).block()).isEqualTo("{\"type\":\"about:blank\"}");
		assertThat(buffers).hasSize(10).allSatisfy((each) -> assertThat(each.refCnt()).isZero());
	}

	@Test
	@DisplayName("A request that is cancelled while its problem is read releases the buffers")
	void cancelledWhileRead() {
		List<ByteBuf> buffers = new ArrayList<>();
		AtomicInteger brokenOff = new AtomicInteger();
		this.virtual.filter(REQUEST, (sent) -> {
			Flux<DataBuffer> body = Flux.just("{\"type\":")
				.map((part) -> buffer(part, buffers))
				.concatWith(Flux.<DataBuffer>never().doOnCancel(brokenOff::incrementAndGet));
			return Mono.just(ClientResponse.create(HttpStatus.CONFLICT)
				.header("Content-Type", "application/problem+json")
				.body(body)
				.build());
		}).subscribe().dispose();
		assertThat(brokenOff).hasValue(1);
		assertThat(buffers).singleElement().satisfies((each) -> assertThat(each.refCnt()).isZero());
	}

	@Test
	@DisplayName("Netty's leak detector reports nothing after many rejected requests over two reused connections")
	void noLeaks(CapturedOutput output) {
		ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();
		ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
		ConnectionProvider connections = ConnectionProvider.builder("two").maxConnections(2).build();
		try {
			WebClient client = WebClient.builder()
				.clientConnector(new ReactorClientHttpConnector(HttpClient.create(connections)))
				.filter(this.filter)
				.build();
			for (int i = 0; i < 30; i++) {
				this.api.thenProblem(409, "request-in-progress", "")
					.then(ScriptedApi.response(503, "text/html", "x".repeat(100_000)))
					.thenProblem(503, "about:blank", "")
					.thenProblem((i % 2 == 0) ? 409 : 422, "payload-mismatch", "");
				client.post()
					.uri(this.api.url())
					.exchangeToMono(ClientResponse::releaseBody)
					.block(Duration.ofMinutes(1));
			}
			assertThat(this.api.requests()).hasSize(120);
			// A leak is reported when a buffer is allocated after it was collected.
			System.gc();
			ByteBufAllocator.DEFAULT.buffer().release();
			assertThat(output).doesNotContain("LEAK:");
		}
		finally {
			connections.dispose();
			ResourceLeakDetector.setLevel(before);
		}
	}

	@Test
	@DisplayName("Each attempt subscribes to the request body")
	void body() {
		this.api.thenDrop(1).thenProblem(409, "request-in-progress", "");
		AtomicInteger subscriptions = new AtomicInteger();
		client().post()
			.uri(this.api.url())
			.body(Flux.defer(() -> Flux.just("part ", "of ", Integer.toString(subscriptions.incrementAndGet()))),
					String.class)
			.retrieve()
			.toBodilessEntity()
			.block(Duration.ofMinutes(1));
		assertThat(this.api.requests()).extracting(ScriptedApi.Sent::body)
			.containsExactly("part of 1", "part of 2", "part of 3");
	}

	@Test
	@DisplayName("A failing request body is not a connection failure: it is passed to the caller at once")
	void failingBody() {
		AtomicInteger subscriptions = new AtomicInteger();
		assertThatExceptionOfType(WebClientRequestException.class)
			.isThrownBy(() -> client().post().uri(this.api.url()).body(Flux.defer(() -> {
				subscriptions.incrementAndGet();
				return Flux.error(new IllegalStateException("a fault of the application"));
			}), String.class).retrieve().toBodilessEntity().block(Duration.ofMinutes(1)))
			.withStackTraceContaining("a fault of the application");
		assertThat(subscriptions).hasValue(1);
	}

	@Test
	@DisplayName("A problem above the codec limit keeps its status; reading its body fails as it does without the filter")
	void longProblem() {
		this.api.thenProblem(409, "request-in-progress", ",\"detail\":\"" + "x".repeat(1_000_000) + "\"");
		ClientResponse response = client().post()
			.uri(this.api.url())
			.exchangeToMono((received) -> Mono.just(received))
			.block(Duration.ofMinutes(1));
		assertThat(response.statusCode()).isEqualTo(HttpStatus.CONFLICT);
		assertThatExceptionOfType(DataBufferLimitException.class)
			.isThrownBy(() -> response.bodyToMono(String.class).block());
		assertThat(this.api.requests()).hasSize(1);
	}

	@Test
	@DisplayName("Each subscription is a separate request with its own key")
	void subscriptions() {
		Mono<Void> request = client().post().uri(this.api.url()).retrieve().bodyToMono(Void.class);
		request.repeat(1).blockLast(Duration.ofMinutes(1));
		assertThat(this.api.headers("Idempotency-Key")).hasSize(2).doesNotHaveDuplicates();
	}

	private WebClient client() {
		return WebClient.builder()
			.clientConnector(new ReactorClientHttpConnector(HttpClient.create(ConnectionProvider.newConnection())))
			.filter(this.filter)
			.build();
	}

	private static ClientResponse.Builder unavailable(String retryAfter) {
		return ClientResponse.create(HttpStatus.SERVICE_UNAVAILABLE).header("Retry-After", retryAfter);
	}

	private static ClientResponse created() {
		return ClientResponse.create(HttpStatus.CREATED).build();
	}

	private static DataBuffer buffer(String text, List<ByteBuf> buffers) {
		ByteBuf buffer = PooledByteBufAllocator.DEFAULT.buffer();
		buffer.writeCharSequence(text, StandardCharsets.UTF_8);
		buffers.add(buffer);
		return new NettyDataBufferFactory(PooledByteBufAllocator.DEFAULT).wrap(buffer);
	}

}
