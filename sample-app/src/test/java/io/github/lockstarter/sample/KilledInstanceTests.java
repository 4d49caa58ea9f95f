package io.github.lockstarter.sample;

import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.github.lockstarter.testing.TestJvm;
import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An instance that the page kills, in a browser: a process of its own.
 */
@Tag("browser")
@Tag("once")
class KilledInstanceTests {

	@TempDir
	private Path directory;

	private TestServer first;

	private TestJvm second;

	private Browser browser;

	@BeforeEach
	void start() {
		String[] properties = Stream.concat(Stream.of(TestRedis.properties()),
				// A payment must not lose its lock if the machine stands still.
				Stream.of("lock.redis.key-prefix=killed", "sample.points.latency=1s", "lock.names.payment.ttl=6s",
						"lock.names.payment-in-database.ttl=6s",
						"spring.datasource.url=jdbc:h2:file:%s;AUTO_SERVER=TRUE"
							.formatted(this.directory.resolve("users")),
						"spring.datasource.password="))
			.toArray(String[]::new);
		System.setProperty("h2.bindAddress", "127.0.0.1");
		this.first = TestServer.start(new Class<?>[] { SampleApplication.class }, properties);
		this.second = TestJvm
			.start(SampleApplication.class,
					Stream
						.concat(Stream.of(properties),
								Stream.of("sample.demo.killable=true", "server.port=0",
										"logging.pattern.console=%msg%n"))
						.map((property) -> "--" + property)
						.toArray());
		this.browser = new Browser();
		this.browser.screen(1200, 900, 1);
	}

	@AfterEach
	void stop() {
		this.browser.close();
		this.second.close();
		this.first.close();
	}

	@Test
	@DisplayName("An instance is killed while it holds the lock; the lock expires at its ttl, and a waiting request takes over")
	void takeover() {
		press("[name=kill]");
		this.browser.await(() -> this.browser.is("""
				/^Instance B was killed after .* The lock expires at its ttl, 5\\.0 s after its last renewal\\.$/
				  .test(document.getElementById('story').innerText)
				&& document.querySelectorAll('#guarded-bars > .waiting').length === 2"""));
		assertThat(this.second.awaitEnd()).isEqualTo(137);
		// Requests 2 and 3 were sent at the same time.
		this.browser.await(() -> this.browser.text("#story").matches(".* request [23] took over on instance A, .*"));
		this.browser.await(() -> this.browser.count("#run[data-over=true]") == 1);
		assertThat(this.browser.texts("#guarded-bars .state")).containsExactlyInAnyOrder("killed", "201 registered",
				"422 name taken");
		assertThat(this.browser.text("#guarded-rows dd")).isEqualTo("1");
		assertThat(this.browser.text("#instances")).as("instances that run").doesNotContain("Instance B");
		assertThat(this.browser.count("[name=kill]")).as("there is no instance to kill any more").isZero();
	}

	@Test
	@DisplayName("An instance is killed after the commit of a payment: the retry pays again with its lock in Redis, and gets the response with its lock in the database")
	void payment() {
		press("[value=payment]");
		assertThat(this.second.awaitEnd()).isEqualTo(137);
		this.browser.await(() -> this.browser.count("#run[data-over=true]") == 1);
		assertThat(this.browser.text("#payment-rows")).isEqualTo("Payments in the database\n2: 1 too many");
		assertThat(this.browser.texts("#payment-bars .state")).containsExactly("killed", "201 duplicate");
		assertThat(this.browser.text("#payment-in-database-rows")).isEqualTo("Payments in the database\n1");
		assertThat(this.browser.texts("#payment-in-database-bars .state")).containsExactly("killed", "201 replayed");
		assertThat(this.browser.text("#story")).startsWith("Instance B was killed after ")
			.endsWith(" both payments are committed, and the client has no response. The client sent both again."
					+ " Locks in Redis: 2 payments. Locks in the database: 1 payment.");
		assertThat(this.browser.text("#run-title"))
			.isEqualTo("A payment and its retry, with locks in Redis and in the database");
	}

	/** Presses a button when both instances run, and waits for the page of the run. */
	private void press(String button) {
		this.second.await("Started SampleApplication");
		String home = "http://127.0.0.1:" + this.first.port() + "/";
		this.browser.open(home);
		this.browser.find(button).click();
		this.browser.awaitPage(home + "runs/");
	}

}
