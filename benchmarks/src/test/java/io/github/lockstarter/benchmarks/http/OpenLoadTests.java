package io.github.lockstarter.benchmarks.http;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class OpenLoadTests {

	@Test
	@DisplayName("A request with a 2xx response has run, and a request with a 409 was rejected")
	void counts() throws Exception {
		AtomicInteger requests = new AtomicInteger();
		OpenLoad.Outcome outcome = run((number) -> {
			requests.incrementAndGet();
			return (number % 4 == 0) ? 200 : 409;
		});
		assertThat(outcome.withoutResponse()).isZero();
		assertThat(outcome.runs().getTotalCount()).isPositive().isEqualTo(requests.get() / 4);
		assertThat(outcome.runs().getTotalCount() + outcome.rejections().getTotalCount()).isEqualTo(requests.get());
	}

	@Test
	@DisplayName("Any other status fails the measurement")
	void otherResponse() {
		for (int status : new int[] { 500, 503 }) {
			assertThatIllegalStateException().isThrownBy(() -> run((number) -> (number == 2) ? status : 409))
				.withMessageContaining("/lock-starter")
				.withMessageEndingWith("returned " + status);
		}
	}

	/**
	 * Runs the load against a server that returns the status for the number of each
	 * request.
	 */
	private static OpenLoad.Outcome run(IntUnaryOperator status) throws InterruptedException {
		AtomicInteger requests = new AtomicInteger();
		DisposableServer server = HttpServer.create()
			.host("127.0.0.1")
			.port(0)
			.handle((request, response) -> response.status(status.applyAsInt(requests.incrementAndGet())).send())
			.bindNow();
		try (OpenLoad load = new OpenLoad()) {
			return load.run(server.port(), Variant.THIS, Duration.ZERO, Duration.ofMillis(300));
		}
		finally {
			server.disposeNow();
		}
	}

}
