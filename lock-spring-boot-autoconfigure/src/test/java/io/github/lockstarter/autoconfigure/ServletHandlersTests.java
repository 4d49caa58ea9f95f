package io.github.lockstarter.autoconfigure;

import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.autoconfigure.HandlerTable.Ending;
import io.github.lockstarter.testing.Jobs;
import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

/**
 * Handlers of Spring MVC: what they return by how their work ends.
 */
@ParameterizedClass(name = "virtual threads: {0}")
@MethodSource("threads")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ServletHandlersTests {

	@Parameter
	boolean virtual;

	private TestServer server;

	private TestServer waitingServer;

	static Stream<Boolean> threads() {
		return (Runtime.version().feature() >= 21) ? Stream.of(false, true) : Stream.of(false);
	}

	@BeforeAll
	void start() {
		this.server = start("lock.redis.key-prefix=servlet-" + this.virtual);
		this.waitingServer = start("lock.redis.key-prefix=servlet-waiting-" + this.virtual, "lock.wait=1m",
				"server.tomcat.threads.max=2");
	}

	@AfterAll
	void stop() {
		this.server.close();
		this.waitingServer.close();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', useHeadersInDisplayName = true, textBlock = """
			handler       | endings                                     | outlives its request
			value         | VALUE ERROR CANCEL DISCONNECT               | true
			entity        | VALUE ERROR CANCEL DISCONNECT               | true
			void          | VALUE ERROR CANCEL DISCONNECT               | true
			view          | VALUE ERROR CANCEL DISCONNECT               | true
			stage         | VALUE ERROR CANCEL DISCONNECT TIMEOUT       | true
			future        | VALUE ERROR CANCEL DISCONNECT TIMEOUT       | true
			callable      | VALUE ERROR CANCEL DISCONNECT TIMEOUT       | true
			task          | VALUE ERROR CANCEL DISCONNECT TIMEOUT       | true
			deferred      | VALUE ERROR CANCEL DISCONNECT TIMEOUT       | false
			emitter       | VALUE ERROR CANCEL DISCONNECT TIMEOUT       | false
			sse           | VALUE ERROR CANCEL DISCONNECT TIMEOUT       | false
			sse-entity    | VALUE ERROR CANCEL DISCONNECT TIMEOUT       | false
			stream        | VALUE ERROR CANCEL DISCONNECT TIMEOUT       | true
			stream-entity | VALUE ERROR CANCEL DISCONNECT TIMEOUT       | true
			future-stream | VALUE ERROR CANCEL DISCONNECT TIMEOUT       | true
			future-sse    | VALUE ERROR CANCEL DISCONNECT TIMEOUT       | false
			callable-stream | VALUE ERROR CANCEL DISCONNECT TIMEOUT     | true
			deferred-sse  | VALUE ERROR CANCEL DISCONNECT TIMEOUT       | false
			mono          | VALUE ERROR CANCEL DISCONNECT TIMEOUT       | false
			mono-entity   | VALUE ERROR CANCEL DISCONNECT TIMEOUT       | false
			entity-mono   | VALUE ERROR CANCEL DISCONNECT TIMEOUT       | false
			flux          | VALUE ERROR CANCEL DISCONNECT TIMEOUT       | false
			flux-sse      | VALUE ERROR CANCEL DISCONNECT               | true
			""")
	@DisplayName("While the work of a request goes on another with its key is refused, and right after it has ended admitted")
	void ends(String handler, String endings, boolean outlivesRequest) throws Exception {
		for (String ending : endings.split(" ")) {
			try {
				new HandlerTable(this.server).check("/servlet/" + handler, Ending.valueOf(ending), outlivesRequest);
			}
			catch (Throwable ex) {
				throw new AssertionError(handler + ", " + ending, ex);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "value", "entity", "void", "view", "stage", "future", "callable", "task", "deferred",
			"emitter", "sse", "sse-entity", "stream", "stream-entity", "mono", "mono-entity", "entity-mono", "flux",
			"flux-sse", "future-stream", "future-sse", "callable-stream", "deferred-sse" })
	@DisplayName("A handler is not called before its lock is granted")
	void waits(String handler) throws Exception {
		new HandlerTable(this.waitingServer).checkWait("/servlet/" + handler);
	}

	private TestServer start(String... properties) {
		return TestServer.start(new Class<?>[] { TestServer.Application.class, Jobs.class, ServletHandlers.class },
				Stream
					.concat(Stream.of(TestRedis.properties()),
							Stream.concat(Stream.of(properties),
									Stream.of("spring.threads.virtual.enabled=" + this.virtual,
											"spring.mvc.async.request-timeout=" + HandlerTable.TIMEOUT)))
					.toArray(String[]::new));
	}

}
