package io.github.lockstarter.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The commands of the README and of {@code docs/sample.md}, run on two simulated days:
 * the sample is restarted on the second, and its users and its Redis still exist.
 */
@Tag("once")
class ReadmeCommandsTests {

	private static final Path README = Path.of("..", "README.md");

	private static final Path SAMPLE = Path.of("..", "docs", "sample.md");

	private static final Pattern BLOCK = Pattern.compile("^```sh\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

	private static final Pattern RUN = Pattern.compile("\"run\":\\d+");

	@TempDir
	private static Path directory;

	private final ControlledPoints points = new ControlledPoints();

	private TestServer server;

	@BeforeEach
	void start() {
		this.server = this.points.start(Stream
			.concat(Stream.of(TestRedis.properties()),
					Stream.of("lock.redis.key-prefix=readme", "sample.reports.latency=3s",
							"spring.datasource.url=jdbc:h2:file:" + directory.resolve("users")))
			.toArray(String[]::new));
	}

	@AfterEach
	void stop() {
		this.points.grant();
		this.server.close();
	}

	@RepeatedTest(2)
	@DisplayName("The commands have the documented output, also on the next day")
	void everyDay() throws IOException {
		this.points.hold();
		Shell registrations = type(README, "localhost:8080/users?userName", "-X POST");
		registrations.await("request-in-progress");
		this.points.grant();
		assertThat(registrations.output()).containsOnlyOnce("HTTP/1.1 201").containsOnlyOnce("HTTP/1.1 409");

		this.points.hold();
		Shell unguarded = type(SAMPLE, "localhost:8080/unguarded/users");
		this.points.awaitRequests(2);
		this.points.grant();
		String users = unguarded.output();
		assertThat(new JsonMapper().readTree(users.substring(users.lastIndexOf("[")))).hasSize(2);

		String responses = type(SAMPLE, "localhost:8080/reports", "localhost:8080/orders").output();
		List<String> runs = RUN.matcher(responses).results().map(MatchResult::group).toList();
		assertThat(runs).hasSize(3).containsOnly(runs.get(0));
		assertThat(responses.split("HTTP/1.1 201")).as("orders").hasSize(3);
		assertThat(responses).containsOnlyOnce("Idempotent-Replayed: true");
	}

	/** Runs the commands of the page that contain these texts. */
	private Shell type(Path page, String... texts) throws IOException {
		String commands = BLOCK.matcher(Files.readString(page))
			.results()
			.map((block) -> block.group(1))
			.filter((block) -> Stream.of(texts).allMatch(block::contains))
			.findFirst()
			.orElseThrow();
		Path output = Files.createTempFile(directory, "output", ".txt");
		Process process = new ProcessBuilder("sh", "-c",
				commands.replace("localhost:8080", "127.0.0.1:" + this.server.port()))
			.redirectOutput(output.toFile())
			.start();
		return new Shell(process, output);
	}

	private record Shell(Process process, Path file) {

		void await(String text) {
			Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> Files.readString(this.file).contains(text));
		}

		/** Waits until the output is complete, and returns it. */
		String output() throws IOException {
			this.process.onExit().orTimeout(1, TimeUnit.MINUTES).join();
			return Files.readString(this.file);
		}

	}

}
