package io.github.lockstarter.benchmarks.http;

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class WaitingRequestsTests {

	@Test
	@DisplayName("Requests wait concurrently, each on its own connection, until the clients close the connections")
	void waitAndLeave() {
		AtomicInteger waiting = new AtomicInteger();
		DisposableServer server = HttpServer.create()
			.host("127.0.0.1")
			.port(0)
			.route((routes) -> routes.put("/locks/wanted", (request, response) -> {
				request.withConnection((connection) -> {
					waiting.incrementAndGet();
					connection.onDispose(waiting::decrementAndGet);
				});
				return response.neverComplete();
			}))
			.bindNow();
		try (WaitingRequests requests = new WaitingRequests(server.port(), "wanted", 300)) {
			await().until(waiting::get, (count) -> count == 300);
			assertThat(requests.ended()).isZero();
			requests.close();
			await().until(waiting::get, (count) -> count == 0);
			assertThat(requests.ended()).isZero();
		}
		finally {
			server.disposeNow();
		}
	}

	@Test
	@DisplayName("A request that has a response no longer counts as waiting")
	void hasResponse() {
		DisposableServer server = HttpServer.create()
			.host("127.0.0.1")
			.port(0)
			.route((routes) -> routes.put("/locks/wanted", (request, response) -> response.status(409).send()))
			.bindNow();
		try (WaitingRequests requests = new WaitingRequests(server.port(), "wanted", 10)) {
			await().until(requests::ended, (ended) -> ended == 10);
		}
		finally {
			server.disposeNow();
		}
	}

}
