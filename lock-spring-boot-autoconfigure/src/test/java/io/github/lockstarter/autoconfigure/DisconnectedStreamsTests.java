package io.github.lockstarter.autoconfigure;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.servlet.http.HttpServletResponse;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.io.AbstractResource;
import org.springframework.core.io.Resource;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.testing.RawRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The client of a streamed response disconnects, in Spring MVC.
 */
class DisconnectedStreamsTests {

	private static final int CHUNK = 1024;

	private static TestServer server;

	private String key;

	@BeforeAll
	static void start() {
		server = TestServer.start(new Class<?>[] { TestServer.Application.class, Streams.class }, "lock.store=memory",
				"spring.main.web-application-type=servlet");
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@BeforeEach
	void newKey() {
		this.key = UUID.randomUUID().toString();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/shared/by-hand", "/shared/writer" })
	@DisplayName("A handler whose response is only shared learns of that when the response is too large to be kept")
	void shared(String path) throws Exception {
		assertThat(disconnect(path, 8000)).isEqualTo("failed");
	}

	@ParameterizedTest
	@CsvSource({ "/by-hand, written", "/writer, written", "/file, failed" })
	@DisplayName("With replay, the work is done to its end, the rest of a response that nobody gets is not written after it, and the work is not done again")
	void tooLarge(String path, String end) throws Exception {
		assertThat(disconnect(path, 8000)).isEqualTo(end);
		HttpResponse<String> again = repeat(path);
		assertThat(again.statusCode()).isEqualTo(409);
		assertThat(again.body()).contains("/problems/result-unavailable\"");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/by-hand", "/writer", "/file" })
	@DisplayName("A response that may be kept is written to its end, and the client gets it when it repeats its request")
	void kept(String path) throws Exception {
		assertThat(disconnect(path, 30)).isEqualTo("written");
		HttpResponse<String> again = repeat(path);
		assertThat(again.statusCode()).isEqualTo(200);
		assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
		assertThat(again.body().replaceAll("[^x]", "")).hasSize(30 * CHUNK);
	}

	private String disconnect(String path, int chunks) throws Exception {
		Stream stream = new Stream(chunks, new CompletableFuture<>(), new CompletableFuture<>(),
				new CompletableFuture<>());
		Streams.streams.put(this.key, stream);
		try (RawRequest request = RawRequest.post(server.port(), path + "?run=" + this.key,
				"Idempotency-Key: " + this.key)) {
			stream.begun.get();
			request.reset();
		}
		stream.gone.complete(null);
		return stream.end.get();
	}

	private HttpResponse<String> repeat(String path) {
		return Awaitility.await()
			.until(() -> server.post(path + "?run=" + this.key, "Idempotency-Key", this.key),
					(each) -> !each.body().contains("in-progress"));
	}

	/**
	 * A stream of a client.
	 *
	 * @param chunks the number of its chunks
	 * @param begun completed when it has begun
	 * @param gone completed when the client has disconnected
	 * @param end completed with what its writer has seen
	 */
	private record Stream(int chunks, CompletableFuture<Void> begun, CompletableFuture<Void> gone,
			CompletableFuture<String> end) {

		void write(OutputStream out) throws IOException {
			this.begun.complete(null);
			this.gone.join();
			try {
				for (int i = 0; i < this.chunks; i++) {
					out.write("x".repeat(CHUNK).getBytes());
					out.flush();
				}
				this.end.complete("written");
			}
			catch (IOException ex) {
				this.end.complete("failed");
				throw ex;
			}
		}

		/** Read by the converter of Spring MVC, after the handler has returned. */
		Resource file() {
			return new AbstractResource() {

				@Override
				public String getDescription() {
					return "a stream of " + Stream.this.chunks;
				}

				@Override
				public long contentLength() {
					return (long) Stream.this.chunks * CHUNK;
				}

				@Override
				public InputStream getInputStream() {
					Stream.this.begun.complete(null);
					Stream.this.gone.join();
					byte[] all = "x".repeat(Stream.this.chunks * CHUNK).getBytes();
					return new ByteArrayInputStream(all) {

						@Override
						public void close() {
							Stream.this.end.complete((available() == 0) ? "written" : "failed");
						}

					};
				}

			};
		}

		void write(PrintWriter out) {
			this.begun.complete(null);
			this.gone.join();
			boolean failed = false;
			for (int i = 0; i < this.chunks && !failed; i++) {
				out.write("x".repeat(CHUNK));
				failed = out.checkError();
			}
			this.end.complete(failed ? "failed" : "written");
		}

	}

	@Controller
	@ExclusiveRequest(name = "streams", key = "header('Idempotency-Key')", replay = "1h")
	static class Streams {

		static final Map<String, Stream> streams = new ConcurrentHashMap<>();

		@PostMapping("/shared/by-hand")
		@ExclusiveRequest(name = "shared", key = "#run", onConflict = OnConflict.SHARE)
		void sharedByHand(@RequestParam String run, HttpServletResponse response) throws IOException {
			streams.get(run).write(response.getOutputStream());
		}

		@PostMapping("/shared/writer")
		@ExclusiveRequest(name = "shared", key = "#run", onConflict = OnConflict.SHARE)
		void sharedWriter(@RequestParam String run, HttpServletResponse response) throws IOException {
			streams.get(run).write(response.getWriter());
		}

		@PostMapping(path = "/file", produces = MediaType.APPLICATION_OCTET_STREAM_VALUE)
		@ResponseBody
		Resource file(@RequestParam String run) {
			return streams.get(run).file();
		}

		@PostMapping("/by-hand")
		void byHand(@RequestParam String run, HttpServletResponse response) throws IOException {
			streams.get(run).write(response.getOutputStream());
		}

		@PostMapping("/writer")
		void writer(@RequestParam String run, HttpServletResponse response) throws IOException {
			streams.get(run).write(response.getWriter());
		}

	}

}
