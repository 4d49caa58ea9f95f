package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.lockstarter.testing.BlockingCalls;
import io.github.lockstarter.testing.Jobs;
import io.github.lockstarter.testing.TestServer;

/**
 * A WebFlux application that gets requests, most of which wait for each other. It prints
 * the number of responses, and the calls that blocked a non-blocking thread.
 */
final class BlockHoundServer {

	private static final String[] HANDLERS = { "mono", "mono-entity", "mono-entity-flux", "entity", "entity-mono",
			"entity-flux", "flux", "sse", "future", "stage" };

	private BlockHoundServer() {
	}

	/** Arguments: the port of a Redis. */
	public static void main(String[] args) {
		BlockingCalls blockingCalls = BlockingCalls.watch();
		try (TestServer server = TestServer.start(
				new Class<?>[] { TestServer.CompleteApplication.class, Jobs.class, ReactiveHandlers.class },
				"spring.data.redis.port=" + args[0], "spring.main.web-application-type=reactive", "lock.wait=50s",
				"lock.redis.command-timeout=30s", "lock.max-waiters=10000")) {
			server.context().getBean(Jobs.class).get("one").finish();
			call(server, 1);
			// Startup and class loading may block.
			blockingCalls.forget();
			System.out.println("responses " + call(server, 50));
			blockingCalls.print();
		}
		System.out.println("end");
		System.exit(0);
	}

	private static long call(TestServer server, int times) {
		List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
		for (int i = 0; i < times; i++) {
			for (String handler : HANDLERS) {
				responses.add(server.postAsync("/reactive/" + handler + "?key=one"));
			}
		}
		return responses.stream().filter((response) -> response.join().statusCode() == 200).count();
	}

}
