package io.github.lockstarter.autoconfigure;

import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.autoconfigure.GuardedHandlers.Ending;
import io.github.lockstarter.testing.Jobs;
import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

/**
 * WebFlux handlers: each return type with each way in which the work can end.
 */
@Tag("jdk")
@ParameterizedClass(name = "virtual threads: {0}")
@MethodSource("io.github.lockstarter.autoconfigure.ServletHandlersTests#kindsOfThreads")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReactiveHandlersTests {

	@Parameter
	boolean virtual;

	private TestServer server;

	private TestServer waitingServer;

	@BeforeAll
	void start() {
		this.server = start("lock.redis.key-prefix=reactive-" + this.virtual);
		this.waitingServer = start("lock.redis.key-prefix=reactive-waiting-" + this.virtual, "lock.wait=1m");
	}

	@AfterAll
	void stop() {
		this.server.close();
		this.waitingServer.close();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', useHeadersInDisplayName = true, textBlock = """
			handler                    | endings                       | outlives its request
			/reactive/mono             | VALUE ERROR CANCEL DISCONNECT | false
			/reactive/mono-timeout     | TIMEOUT                       | false
			/reactive/entity-mono-timeout | TIMEOUT                    | false
			/reactive/single           | VALUE ERROR CANCEL DISCONNECT | false
			/reactive/flowable         | VALUE ERROR CANCEL DISCONNECT_MIDWAY | false
			/reactive/mono-void        | VALUE ERROR CANCEL DISCONNECT | false
			/reactive/mono-entity      | VALUE ERROR CANCEL DISCONNECT | false
			/reactive/mono-entity-flux | VALUE ERROR CANCEL DISCONNECT_MIDWAY | false
			/reactive/entity-mono      | VALUE ERROR CANCEL DISCONNECT | false
			/reactive/entity-flux      | VALUE ERROR CANCEL DISCONNECT_MIDWAY | false
			/reactive/flux             | VALUE ERROR CANCEL DISCONNECT_MIDWAY | false
			/reactive/sse              | VALUE ERROR CANCEL DISCONNECT_MIDWAY | false
			/reactive/sse-event        | VALUE ERROR CANCEL DISCONNECT_MIDWAY | false
			/reactive/future           | VALUE ERROR CANCEL DISCONNECT | true
			/reactive/stage            | VALUE ERROR CANCEL DISCONNECT | true
			/functional                | VALUE ERROR CANCEL DISCONNECT | false
			""")
	@DisplayName("While a request runs, a request with the same key is rejected; after it ends, such a request runs")
	void ends(String handler, String endings, boolean outlivesRequest) throws Exception {
		for (String ending : endings.split(" ")) {
			try {
				new GuardedHandlers(this.server).check(handler, Ending.valueOf(ending), outlivesRequest);
			}
			catch (Throwable ex) {
				throw new AssertionError(handler + ", " + ending, ex);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "mono", "single", "flowable", "mono-void", "mono-entity", "mono-entity-flux", "entity",
			"entity-mono", "entity-flux", "flux", "sse", "sse-event", "future", "stage" })
	@DisplayName("A handler is not called before its lock is granted")
	void waits(String handler) throws Exception {
		new GuardedHandlers(this.waitingServer).checkWait("/reactive/" + handler);
	}

	@ParameterizedTest
	@ValueSource(strings = { "mono", "entity", "entity-flux", "flux", "sse" })
	@DisplayName("A waiting request whose client disconnects stops waiting, and its handler is not called")
	void gone(String handler) throws Exception {
		new GuardedHandlers(this.waitingServer).checkDisconnected("/reactive/" + handler);
	}

	private TestServer start(String... properties) {
		return TestServer.start(
				new Class<?>[] { TestServer.CompleteApplication.class, Jobs.class, ReactiveHandlers.class,
						ReactiveHandlers.Functional.class },
				Stream
					.of(TestRedis.properties(), properties,
							new String[] { "spring.main.web-application-type=reactive",
									"spring.threads.virtual.enabled=" + this.virtual })
					.flatMap(Stream::of)
					.toArray(String[]::new));
	}

}
