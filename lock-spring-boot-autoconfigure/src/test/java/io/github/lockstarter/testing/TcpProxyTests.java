package io.github.lockstarter.faults.history;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.testing.LocalRedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LinkTests {

	private final LocalRedis redis = LocalRedis.started();

	private final Link link = new Link(this.redis.port());

	private Socket socket;

	@BeforeEach
	void connect() throws IOException {
		this.socket = new Socket(InetAddress.getLoopbackAddress(), this.link.port());
		assertThat(ask("PING")).isEqualTo("+PONG");
	}

	@AfterEach
	void stop() throws IOException {
		this.socket.close();
		this.link.close();
		this.redis.close();
	}

	@Test
	@DisplayName("Cut, a connection ends in order, and a new one, too, until the link is mended")
	void cut() throws IOException {
		this.link.cut();
		assertThat(this.socket.getInputStream().read()).isEqualTo(-1);
		this.socket = new Socket(InetAddress.getLoopbackAddress(), this.link.port());
		assertThat(this.socket.getInputStream().read()).isEqualTo(-1);
		this.link.mend();
		connect();
	}

	@Test
	@DisplayName("Reset, a connection ends with an error")
	void reset() {
		this.link.reset();
		assertThatExceptionOfType(SocketException.class).isThrownBy(() -> ask("PING"))
			.withMessageContaining("Connection reset");
	}

	@Test
	@DisplayName("Silent, a connection lets nothing through, and a new one does")
	void silent() throws IOException {
		this.link.silence();
		assertUnanswered("SET silent 1");
		connect();
		assertThat(this.redis.ask("EXISTS silent")).isEqualTo(":0");
		this.link.mend();
	}

	@Test
	@DisplayName("Where answers are swallowed, requests get through")
	void unanswered() throws IOException {
		this.link.swallowAnswers();
		assertUnanswered("SET unanswered 1");
		assertThat(this.redis.ask("EXISTS unanswered")).isEqualTo(":1");
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
