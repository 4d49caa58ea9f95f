package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.thread.Threading;

import io.github.lockstarter.autoconfigure.GuardedHandlers.Ending;
import io.github.lockstarter.testing.Jobs;
import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Spring MVC handlers: each return type with each way in which the work can end.
 */
@Tag("jdk")
@ParameterizedClass(name = "virtual threads: {0}")
@MethodSource("kindsOfThreads")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ServletHandlersTests {

	@Parameter
	boolean virtual;

	private TestServer server;

	private TestServer hastyServer;

	private TestServer waitingServer;

	static Stream<Boolean> kindsOfThreads() {
		return (Runtime.version().feature() >= 21) ? Stream.of(false, true) : Stream.of(false);
	}

	/** The field is not set yet. */
	@BeforeParameterizedClassInvocation
	void start(boolean virtual) {
		this.server = start(virtual, "lock.redis.key-prefix=servlet-" + virtual);
		this.hastyServer = start(virtual, "lock.redis.key-prefix=servlet-hasty-" + virtual,
				"spring.mvc.async.request-timeout=" + GuardedHandlers.TIMEOUT);
		this.waitingServer = start(virtual, "lock.redis.key-prefix=servlet-waiting-" + virtual, "lock.wait=1m",
				"server.tomcat.threads.max=2");
	}

	@AfterParameterizedClassInvocation
	void stop() {
		this.server.close();
		this.hastyServer.close();
		this.waitingServer.close();
	}

	@Test
	@DisplayName("The servers use the thread type of this test run")
	void threads() {
		assertThat(Stream.of(this.server, this.hastyServer, this.waitingServer))
			.allMatch((each) -> Threading.VIRTUAL.isActive(each.context().getEnvironment()) == this.virtual);
	}

	@ParameterizedTest
	@MethodSource("handlers")
	@DisplayName("While a request runs, a request with the same key is rejected; after it ends, such a request runs")
	void ends(String handler) {
		// Writing to a disconnected client would end the response.
		Ending disconnect = handler.equals("flux-sse") ? Ending.DISCONNECT_MIDWAY : Ending.DISCONNECT;
		for (Ending ending : List.of(Ending.VALUE, Ending.ERROR, Ending.CANCEL, disconnect)) {
			// The container does not report that a client has disconnected.
			check(this.server, handler, ending, true);
		}
	}

	@ParameterizedTest
	@MethodSource("timedOut")
	@DisplayName("The lock of a request that times out is released when the request ends, or with work that outlasts it")
	void timesOut(List<String> handlers, boolean outlivesRequest) {
		// Concurrently, because each takes its time; without flux-sse, whose response has
		// begun by then.
		CompletableFuture<?>[] checks = handlers.stream()
			.map((handler) -> CompletableFuture.runAsync(
					() -> check(this.hastyServer, handler, Ending.TIMEOUT, outlivesRequest),
					(command) -> new Thread(command).start()))
			.toArray(CompletableFuture<?>[]::new);
		assertThat(CompletableFuture.allOf(checks)).succeedsWithin(Duration.ofSeconds(30));
	}

	static List<String> handlers() {
		return List.of("value", "entity", "void", "view", "stage", "future", "callable", "task", "deferred", "emitter",
				"sse", "sse-entity", "stream", "stream-entity", "future-stream", "future-sse", "callable-stream",
				"deferred-sse", "callable-future", "callable-mono", "deferred-stage", "deferred-mono", "mono",
				"mono-entity", "entity-mono", "flux", "flux-sse");
	}

	static Stream<Arguments> timedOut() {
		return Stream.of(
				Arguments.of(List.of("deferred", "emitter", "sse", "sse-entity", "future-sse", "deferred-sse",
						"callable-future", "callable-mono", "deferred-stage", "deferred-mono", "mono", "mono-entity",
						"entity-mono", "flux"), false),
				Arguments.of(List.of("stage", "future", "callable", "task", "stream", "stream-entity", "future-stream",
						"callable-stream"), true));
	}

	@ParameterizedTest
	@MethodSource("handlers")
	@DisplayName("A handler is not called before its lock is granted")
	void waits(String handler) throws Exception {
		new GuardedHandlers(this.waitingServer).checkWait("/servlet/" + handler);
	}

	private static void check(TestServer server, String handler, Ending ending, boolean outlivesRequest) {
		try {
			new GuardedHandlers(server).check("/servlet/" + handler, ending, outlivesRequest);
		}
		catch (Exception | AssertionError ex) {
			throw new AssertionError(handler + ", " + ending, ex);
		}
	}

	private static TestServer start(boolean virtual, String... properties) {
		return TestServer.start(
				new Class<?>[] { TestServer.CompleteApplication.class, Jobs.class, ServletHandlers.class },
				Stream
					.concat(Stream.of(TestRedis.properties()),
							Stream.concat(Stream.of(properties),
									Stream.of("spring.threads.virtual.enabled=" + virtual)))
					.toArray(String[]::new));
	}

}
