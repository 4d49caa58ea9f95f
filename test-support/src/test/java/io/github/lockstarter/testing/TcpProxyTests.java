package io.github.lockstarter.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class TcpProxyTests {

	private final LocalRedis redis = LocalRedis.started();

	private final TcpProxy proxy = new TcpProxy(this.redis.port());

	private Socket socket;

	@BeforeEach
	void connect() throws IOException {
		this.socket = new Socket(InetAddress.getLoopbackAddress(), this.proxy.port());
		assertThat(ask("PING")).isEqualTo("+PONG");
	}

	@AfterEach
	void stop() throws IOException {
		this.socket.close();
		this.proxy.close();
		this.redis.close();
	}

	@Test
	@DisplayName("After cut, open and new connections end normally until the proxy is restored")
	void cut() throws IOException {
		this.proxy.cut();
		assertThat(this.socket.getInputStream().read()).isEqualTo(-1);
		this.socket = new Socket(InetAddress.getLoopbackAddress(), this.proxy.port());
		assertThat(this.socket.getInputStream().read()).isEqualTo(-1);
		this.proxy.mend();
		connect();
	}

	@Test
	@DisplayName("After reset, open connections end with an error, and new ones work")
	void reset() throws IOException {
		this.proxy.reset();
		assertThatExceptionOfType(SocketException.class).isThrownBy(() -> ask("PING"))
			.withMessageContaining("Connection reset");
		connect();
	}

	@Test
	@DisplayName("After dropAll, open connections carry nothing until the proxy is restored, and new ones work")
	void silent() throws IOException {
		this.proxy.dropAll();
		assertUnanswered("SET silent 1");
		connect();
		assertThat(this.redis.ask("EXISTS silent")).isEqualTo(":0");
		assertThat(this.proxy.droppedBytes()).isPositive();
		this.proxy.mend();
		Awaitility.await().until(() -> this.proxy.connections() == 1);
	}

	@Test
	@DisplayName("After dropReplies, open connections carry data to the server only")
	void unanswered() throws IOException {
		this.proxy.dropReplies();
		assertUnanswered("SET unanswered 1");
		assertThat(this.redis.ask("EXISTS unanswered")).isEqualTo(":1");
	}

	@Test
	@DisplayName("After redirect, open connections remain, and new ones lead to the other server")
	void redirect() throws IOException {
		try (LocalRedis other = LocalRedis.started()) {
			other.ask("SET other 1");
			this.proxy.redirect(other.port());
			assertThat(ask("EXISTS other")).isEqualTo(":0");
			try (Socket first = this.socket) {
				connect();
				assertThat(ask("EXISTS other")).isEqualTo(":1");
			}
		}
	}

	private void assertUnanswered(String command) throws IOException {
		this.socket.setSoTimeout(500);
		assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> ask(command));
	}

	/** Sends a command that is answered with one short line, and returns that. */
	private String ask(String command) throws IOException {
		this.socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
		StringBuilder answer = new StringBuilder();
		for (int next = this.socket.getInputStream().read(); next >= 0
				&& next != '\n'; next = this.socket.getInputStream().read()) {
			answer.append((char) next);
		}
		return answer.toString().strip();
	}

}
