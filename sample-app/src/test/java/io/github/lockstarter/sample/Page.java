package io.github.lockstarter.sample;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import org.springframework.jdbc.core.simple.JdbcClient;

import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page in a browser, with two instances of the application that all tests of a JVM
 * share. The test controls when points are granted, so that runs can be observed in
 * progress.
 */
final class Page implements BeforeEachCallback, AfterEachCallback {

	private static @Nullable Page shared;

	final ControlledPoints points = new ControlledPoints();

	final TestServer first = startInstance();

	final TestServer second = startInstance();

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

	/** Fires six requests per side at both instances. */
	void fire(String policy) {
		this.browser.open(url("/"));
		this.browser.find("[value=" + policy + "]").click();
		this.browser.find("form button").click();
		this.browser.awaitPage(url("/runs/"));
	}

	/**
	 * Waits until so many requests run without a lock, and all of them with it are in
	 * these states. They stay in them until points are granted.
	 */
	void awaitBars(int unguarded, String guarded) {
		this.browser.await(() -> this.browser.count("#unguarded-bars > .running") == unguarded);
		this.browser.await(() -> Set.copyOf(states("guarded")).equals(Set.of(guarded.split(", "))));
	}

	/** Returns how many requests of a side are in each state, as in "1 running". */
	List<String> states(String side) {
		Map<String, Long> counts = this.browser.texts("#" + side + "-bars .state")
			.stream()
			.collect(Collectors.groupingBy((state) -> state, TreeMap::new, Collectors.counting()));
		return counts.entrySet().stream().map((each) -> each.getValue() + " " + each.getKey()).toList();
	}

	/**
	 * Stops following the run, so that the page does not change any more until it is
	 * loaded again.
	 */
	void freeze() {
		this.browser.driver()
			.executeScript("window.fetch = () => { window.frozen = true; return new Promise(() => {}); }");
		this.browser.await(() -> this.browser.is("window.frozen"));
	}

	void awaitEnd() {
		this.browser.await(this::isOver);
	}

	boolean isOver() {
		return this.browser.count("#run[data-over=true]") == 1;
	}

	List<String> query(String sql, String userName) {
		return this.first.context().getBean(JdbcClient.class).sql(sql).param(userName).query(String.class).list();
	}

	private TestServer startInstance() {
		return this.points.start(
				Stream
					.concat(Stream.of(TestRedis.properties()),
							Stream.of("lock.redis.key-prefix=page",
									"spring.datasource.url=jdbc:h2:mem:page;DB_CLOSE_DELAY=-1"))
					.toArray(String[]::new));
	}

	/** Resets the size and the colours of the browser. */
	void reset() {
		this.browser.screen(1200, 900, 1);
		this.browser.colorScheme("light");
	}

	/** Resets the browser, and makes the requests of a test wait. */
	@Override
	public void beforeEach(ExtensionContext test) {
		reset();
		this.points.hold();
	}

	/**
	 * Releases all requests, waits for the end of the run that is shown, and checks that
	 * no script has failed.
	 */
	@Override
	public void afterEach(ExtensionContext test) {
		this.points.grant();
		this.browser.await(() -> this.browser.count("#run[data-over=false]") == 0);
		assertThat(this.browser.errors()).as("errors on the console").isEmpty();
	}

}
