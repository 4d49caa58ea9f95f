package io.github.lockstarter.sample;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page in a browser, with two instances of the application that all tests of a JVM
 * share. The test controls when points are granted, so that runs can be observed in
 * progress.
 */
final class Page {

	private static @Nullable Page shared;

	final HeldPoints points = new HeldPoints();

	final TestServer first = server();

	final TestServer second = server();

	final Browser browser = new Browser();

	/** The instances are closed by their own shutdown hooks. */
	static synchronized Page shared() {
		if (shared == null) {
			Page page = new Page();
			Runtime.getRuntime().addShutdownHook(new Thread(page.browser::close));
			shared = page;
		}
		return shared;
	}

	String url(String path) {
		return "http://127.0.0.1:" + this.first.port() + path;
	}

	/** Fires twelve requests at both instances. */
	void fire(String policy) {
		this.browser.open(url("/"));
		this.browser.find("[value=" + policy + "]").click();
		this.browser.find("form button").click();
		this.browser.awaitPage(url("/runs/"));
	}

	/** Waits until this number of bars shows the state. */
	void awaitBars(int running, int waiting, int refused) {
		this.browser
			.await(() -> bars("running") == running && bars("waiting") == waiting && bars("refused") == refused);
	}

	void awaitEnd() {
		this.browser.await(this::isOver);
	}

	boolean isOver() {
		return this.browser.count("#run[data-over=true]") == 1;
	}

	private int bars(String state) {
		return this.browser.count("#timeline > ." + state);
	}

	List<String> query(String sql, String userName) {
		return this.first.context().getBean(JdbcClient.class).sql(sql).param(userName).query(String.class).list();
	}

	private TestServer server() {
		return this.points.start(
				Stream
					.concat(Stream.of(TestRedis.properties()),
							Stream.of("lock.redis.key-prefix=page",
									"spring.datasource.url=jdbc:h2:mem:page;DB_CLOSE_DELAY=-1"))
					.toArray(String[]::new));
	}

	/** Resets the browser, and makes the requests of a test wait. */
	void begin() {
		this.browser.screen(1200, 900, 1);
		this.browser.colorScheme("light");
		this.points.hold();
	}

	/** Releases all requests, and checks that no script has failed. */
	void end() {
		this.points.grant();
		assertThat(this.browser.errors()).as("errors on the console").isEmpty();
	}

}
