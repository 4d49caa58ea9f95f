package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.http.codec.CodecCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.core.ResolvableType;
import org.springframework.core.codec.AbstractEncoder;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The responses that the commit of a reactive transaction stores.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class R2dbcResponsesTests {

	private JdbcClient jdbc;

	private TestServer server;

	/** The stored results at each commit. */
	private final BlockingQueue<List<String>> committed = new LinkedBlockingQueue<>();

	@BeforeAll
	void start() {
		String name = UUID.randomUUID().toString();
		String url = "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(name);
		this.jdbc = JdbcClient.create(new DriverManagerDataSource(url));
		this.server = R2dbcTransactionsTests.server(url, "r2dbc:h2:mem:///%s?options=DB_CLOSE_DELAY=-1".formatted(name),
				Handlers.class);
		this.server.context().getBean(R2dbcTransactionsTests.Commits.class).after(() -> this.committed.add(results()));
	}

	@AfterAll
	void stop() {
		this.server.close();
	}

	/** Returns the contents of the stored results. */
	private List<String> results() {
		return this.jdbc.sql("select content from reactive_locks_results")
			.query((row, number) -> new String(row.getBytes(1), StandardCharsets.UTF_8))
			.list();
	}

	@BeforeEach
	void empty() {
		this.committed.clear();
		this.jdbc.sql("delete from reactive_locks_results").update();
	}

	@ParameterizedTest
	@ValueSource(strings = { "buffer", "entity", "netty", "written" })
	@DisplayName("A body that can be read only once, or that the handler writes itself, is sent, and replayed from then on")
	void knownWhenSent(String kind) throws Exception {
		HttpResponse<String> first = this.server.post("/%s?text=paid".formatted(kind));
		assertThat(first.statusCode()).isEqualTo(200);
		assertThat(first.body()).isEqualTo("paid");
		assertThat(this.committed.poll(30, TimeUnit.SECONDS)).hasSize(1)
			.first()
			.asString()
			.doesNotContain("\"status\":200");
		// A handler that writes its response itself does so before its transaction ends.
		Awaitility.await().untilAsserted(() -> {
			HttpResponse<String> second = this.server.post("/%s?text=paid".formatted(kind));
			assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true");
			assertThat(second.body()).isEqualTo("paid");
		});
	}

	@Test
	@DisplayName("The response is made with the Reactor context of the one that is sent")
	void context() throws Exception {
		assertThat(this.server.post("/greeting?text=hello").body()).isEqualTo("hello, Alice");
		assertThat(this.committed.poll(30, TimeUnit.SECONDS)).hasSize(1).first().asString().contains("hello, Alice");
	}

	@RestController
	static class Handlers {

		@Bean
		static WebFilter user() {
			return (exchange, chain) -> chain.filter(exchange).contextWrite((context) -> context.put("user", "Alice"));
		}

		@Bean
		static CodecCustomizer greetings() {
			return (codecs) -> codecs.customCodecs().register(new GreetingEncoder());
		}

		private static byte[] bytes(String text) {
			return text.getBytes(StandardCharsets.UTF_8);
		}

		@PostMapping("/buffer")
		@ExclusiveRequest(name = "buffer", key = "#text", replay = "1h")
		@Transactional("transactions")
		public Mono<DataBuffer> buffer(@RequestParam String text) {
			return Mono.just(new NettyDataBufferFactory(ByteBufAllocator.DEFAULT).wrap(bytes(text)));
		}

		@PostMapping("/entity")
		@ExclusiveRequest(name = "entity", key = "#text", replay = "1h")
		@Transactional("transactions")
		public Mono<ResponseEntity<DataBuffer>> entity(@RequestParam String text) {
			return buffer(text).map(ResponseEntity::ok);
		}

		@PostMapping("/netty")
		@ExclusiveRequest(name = "netty", key = "#text", replay = "1h")
		@Transactional("transactions")
		public Mono<ByteBuf> netty(@RequestParam String text) {
			return Mono.just(Unpooled.wrappedBuffer(bytes(text)));
		}

		@PostMapping(path = "/greeting", produces = "text/plain")
		@ExclusiveRequest(name = "greeting", key = "#text", replay = "1h")
		@Transactional("transactions")
		public Mono<Greeting> greeting(@RequestParam String text) {
			return Mono.just(new Greeting(text));
		}

		@PostMapping("/written")
		@ExclusiveRequest(name = "written", key = "#text", replay = "1h")
		@Transactional("transactions")
		public Mono<Void> written(@RequestParam String text, ServerWebExchange exchange) {
			return exchange.getResponse()
				.writeWith(Mono.just(exchange.getResponse().bufferFactory().wrap(bytes(text))));
		}

	}

	record Greeting(String text) {
	}

	/** Addresses the user of the Reactor context. */
	private static final class GreetingEncoder extends AbstractEncoder<Greeting> {

		GreetingEncoder() {
			super(MimeTypeUtils.TEXT_PLAIN);
		}

		@Override
		public boolean canEncode(ResolvableType type, @Nullable MimeType mimeType) {
			return type.toClass() == Greeting.class;
		}

		@Override
		public Flux<DataBuffer> encode(Publisher<? extends Greeting> greetings, DataBufferFactory buffers,
				ResolvableType type, @Nullable MimeType mimeType, @Nullable Map<String, Object> hints) {
			return Flux.from(greetings).flatMap((greeting) -> Mono.deferContextual((context) -> {
				String text = "%s, %s".formatted(greeting.text(), context.getOrDefault("user", "nobody"));
				return Mono.just(buffers.wrap(text.getBytes(StandardCharsets.UTF_8)));
			}));
		}

	}

}
