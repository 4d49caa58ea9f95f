package io.github.lockstarter.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A socket listens in place of Redis, and counts connections.
 */
@SpringBootTest(
		properties = { "lock.store=memory", "spring.datasource.url=jdbc:h2:mem:no-redis", "sample.points.latency=0ms" })
@AutoConfigureMockMvc
class NoRedisTests {

	private static final ServerSocketChannel redis = listen();

	@Autowired
	private MockMvcTester mvc;

	@DynamicPropertySource
	static void properties(DynamicPropertyRegistry registry) {
		registry.add("spring.data.redis.host", () -> "127.0.0.1");
		registry.add("spring.data.redis.port", () -> redis.socket().getLocalPort());
	}

	@AfterAll
	static void close() throws IOException {
		redis.close();
	}

	@Test
	@DisplayName("With lock.store=memory there is no connection to Redis, although its driver is present")
	void connectsToNothing() throws IOException {
		assertThat(this.mvc.post().uri("/users?userName=taro")).hasStatus(201);
		assertThat(this.mvc.get().uri("/reports?values=1")).hasStatusOk();
		assertThat(redis.accept()).as("a connection").isNull();
	}

	private static ServerSocketChannel listen() {
		try {
			ServerSocketChannel channel = ServerSocketChannel.open();
			channel.configureBlocking(false);
			channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
			return channel;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
