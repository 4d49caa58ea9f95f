package io.github.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A POST over its own socket, which can be reset.
 */
public final class RawRequest implements AutoCloseable {

	private final Socket socket;

	private RawRequest(Socket socket) {
		this.socket = socket;
	}

	/**
	 * Sends the request.
	 * @param headers lines that are sent as they are, one byte for each character
	 */
	public static RawRequest post(int port, String path, String... headers) throws IOException {
		Socket socket = new Socket("127.0.0.1", port);
		socket.setSoTimeout(20_000);
		socket.getOutputStream()
			.write("POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n%s\r\n"
				.formatted(path, Stream.of(headers).map((line) -> line + "\r\n").collect(Collectors.joining()))
				.getBytes(StandardCharsets.ISO_8859_1));
		return new RawRequest(socket);
	}

	/** Waits for the whole response, or until it breaks off. */
	public String readResponse() {
		StringBuilder response = new StringBuilder();
		try {
			while (readInto(response)) {
				// Continue.
			}
		}
		catch (IOException ex) {
			response.append(" broken off: ").append(ex.getMessage());
		}
		return response.toString();
	}

	/** Waits for a response up to some part of it. */
	public void awaitPart(String part) throws IOException {
		StringBuilder response = new StringBuilder();
		while (response.indexOf(part) < 0) {
			assertThat(readInto(response)).as("more after <%s>", response).isTrue();
		}
	}

	private boolean readInto(StringBuilder response) throws IOException {
		int next = this.socket.getInputStream().read();
		if (next >= 0) {
			response.append((char) next);
		}
		return next >= 0;
	}

	/** Resets the connection, like a client that disappears. */
	public void reset() throws IOException {
		this.socket.setSoLinger(true, 0);
		this.socket.close();
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
