package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The responses that the commit of a reactive transaction stores.
 */
@Tag("once")
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
		HttpResponse<String> second = this.server.post("/%s?text=paid".formatted(kind));
		assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true");
		assertThat(second.body()).isEqualTo("paid");
	}

	@RestController
	static class Handlers {

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

		@PostMapping("/written")
		@ExclusiveRequest(name = "written", key = "#text", replay = "1h")
		@Transactional("transactions")
		public Mono<Void> written(@RequestParam String text, ServerWebExchange exchange) {
			return exchange.getResponse()
				.writeWith(Mono.just(exchange.getResponse().bufferFactory().wrap(bytes(text))));
		}

	}

}
