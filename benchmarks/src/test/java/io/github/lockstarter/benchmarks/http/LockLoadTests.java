package io.github.lockstarter.benchmarks.http;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRoutes;

import static org.assertj.core.api.Assertions.assertThat;

class LockLoadTests {

	private static final Mono<String> LOCK = Mono.just("{\"name\":\"a\",\"token\":\"secret\"}");

	@Test
	@DisplayName("Each client acquires and releases a lock of its own, with its token, on a connection of its own")
	void cycles() {
		Set<String> names = ConcurrentHashMap.newKeySet();
		Set<Object> connections = ConcurrentHashMap.newKeySet();
		AtomicInteger releases = new AtomicInteger();
		DisposableServer server = server((routes) -> routes.put("/locks/{name}", (request, response) -> {
			names.add(request.path());
			request.withConnection((connection) -> connections.add(connection.channel().remoteAddress()));
			return response.status(201).sendString(LOCK);
		}).delete("/locks/{name}", (request, response) -> {
			releases.addAndGet("secret".equals(request.requestHeaders().get("Lock-Token")) ? 1 : 0);
			return response.status(204).send();
		}));
		try (LockLoad load = new LockLoad(3)) {
			LockLoad.Outcome outcome = load.run(server.port(), 30);
			assertThat(outcome.errors()).isZero();
			assertThat(outcome.latencies().getTotalCount()).isEqualTo(60);
			assertThat(outcome.seconds()).isPositive();
		}
		finally {
			server.disposeNow();
		}
		assertThat(names).hasSize(3);
		assertThat(connections).hasSize(3);
		assertThat(releases).hasValue(30);
	}

	@Test
	@DisplayName("Any status other than 201 and 204 is counted as an error, and the clients continue")
	void errors() {
		AtomicInteger acquires = new AtomicInteger();
		DisposableServer server = server((routes) -> routes
			.put("/locks/{name}",
					(request, response) -> response.status((acquires.incrementAndGet() % 5 == 0) ? 200 : 201)
						.sendString(LOCK))
			.delete("/locks/{name}", (request, response) -> response.status(409).send()));
		try (LockLoad load = new LockLoad(2)) {
			LockLoad.Outcome outcome = load.run(server.port(), 20);
			assertThat(outcome.errors()).isEqualTo(20);
			assertThat(outcome.latencies().getTotalCount()).isEqualTo(16);
		}
		finally {
			server.disposeNow();
		}
	}

	private static DisposableServer server(Consumer<HttpServerRoutes> routes) {
		return HttpServer.create().host("127.0.0.1").port(0).route(routes).bindNow();
	}

}
