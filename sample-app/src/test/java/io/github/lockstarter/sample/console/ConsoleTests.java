package io.github.lockstarter.sample.console;

import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.sample.SampleApplication;
import io.github.lockstarter.testing.TestJvm;
import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The console mode of the sample, in separate processes.
 */
@Tag("once")
class ConsoleTests {

	private static final LockOptions UNTIL_BOTH_WANT_IT = LockOptions.of(Duration.ofMinutes(1));

	/** Lines contain the time of day, which restarts at midnight. */
	private static final LocalTime BEGIN = LocalTime.now(ZoneId.systemDefault());

	private static final Pattern LINE = Pattern.compile("([\\d:.]+) process (\\d+) task +(\\d+) (starts|ends).*");

	@Test
	@DisplayName("parallel serial: tasks overlap at first, then run one at a time, as often as given; the program ends by itself")
	void parallel() {
		try (TestJvm process = start("parallel", "serial", "--lock.store=memory")) {
			assertThat(process.awaitEnd()).isZero();
			List<Line> lines = lines(process);
			assertThat(lines).hasSize(40);
			assertThat(mostAtOnce(lines.subList(0, 20))).isGreaterThan(1);
			assertThat(process.await("at most ")).startsWith(mostAtOnce(lines.subList(0, 20)) + " at once");
			assertThat(mostAtOnce(lines.subList(20, 40))).isOne();
		}
	}

	@Test
	@DisplayName("serial: tasks of two processes run one at a time")
	void serial() {
		assertSerial(Stream
			.concat(Stream.of("lock.redis.key-prefix=console", "spring.datasource.url=jdbc:h2:mem:console"),
					Stream.of(TestRedis.properties()))
			.toArray(String[]::new));
	}

	@Test
	@DisplayName("With --lock.store=jdbc the locks are in the sample's database, and no Redis is needed")
	void database(@TempDir Path directory) {
		System.setProperty("h2.bindAddress", "127.0.0.1");
		assertSerial("lock.store=jdbc", "lock.jdbc.command-timeout=30s", "spring.data.redis.port=1",
				"spring.datasource.url=jdbc:h2:file:%s;AUTO_SERVER=TRUE".formatted(directory.resolve("users")),
				"spring.datasource.password=");
	}

	/** Runs tasks of two processes, while another application has the same locks. */
	private static void assertSerial(String... properties) {
		String[] arguments = Stream
			.concat(Stream.of("serial", "--sample.console.duration=20ms"),
					Stream.of(properties).map((property) -> "--" + property))
			.toArray(String[]::new);
		try (TestServer other = TestServer.start(new Class<?>[] { SampleApplication.class }, properties);
				Lease lease = other.context()
					.getBean(LockRegistry.class)
					.acquire(new LockKey("console", "tasks"), UNTIL_BOTH_WANT_IT);
				TestJvm first = start(arguments);
				TestJvm second = start(arguments)) {
			first.await("process ");
			second.await("process ");
			lease.close();
			assertThat(List.of(first.awaitEnd(), second.awaitEnd())).containsOnly(0);
			List<Line> both = Stream.of(first, second).flatMap((each) -> lines(each).stream()).sorted().toList();
			assertThat(both).hasSize(40);
			assertThat(both).extracting(Line::process).containsOnly(first.pid(), second.pid());
			assertThat(mostAtOnce(both)).isOne();
			assertThat(first.await("at most ")).startsWith("1 at once");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "seriell", "serial twice", "-h" })
	@DisplayName("Invalid arguments: usage, and exit code 2")
	void usage(String command) {
		try (TestJvm process = start(command.split(" "))) {
			assertThat(process.awaitEnd()).isEqualTo(2);
			assertThat(process.output()).anyMatch((line) -> line.startsWith("Usage: java -jar sample-app.jar"));
		}
	}

	@Test
	@DisplayName("Store unavailable: one message without a stack trace, exit code 1, and no task runs")
	void noStore() {
		try (TestJvm process = start("serial", "--spring.data.redis.port=1")) {
			assertThat(process.awaitEnd()).isOne();
			assertThat(process.await("A lock could not be acquired")).contains("Connection refused");
			assertThat(process.output()).hasSize(3);
		}
	}

	private static TestJvm start(String... args) {
		return TestJvm.start(SampleApplication.class, (Object[]) args);
	}

	private static List<Line> lines(TestJvm process) {
		return process.output()
			.stream()
			.map(LINE::matcher)
			.filter(Matcher::matches)
			.map((line) -> new Line(sinceBegin(line.group(1)), Long.parseLong(line.group(2)), line.group(4)))
			.toList();
	}

	private static LocalTime sinceBegin(String time) {
		return LocalTime.parse(time).minusNanos(BEGIN.toNanoOfDay());
	}

	/**
	 * Returns the maximum number of concurrent tasks, counted in the order of the lines.
	 */
	private static int mostAtOnce(List<Line> lines) {
		int running = 0;
		int most = 0;
		for (Line line : lines) {
			running += line.isStart() ? 1 : -1;
			most = Math.max(most, running);
		}
		return most;
	}

	/** A line of the output, ordered by time; at equal times ends precede starts. */
	private record Line(LocalTime time, long process, String what) implements Comparable<Line> {

		boolean isStart() {
			return this.what.equals("starts");
		}

		@Override
		public int compareTo(Line other) {
			int byTime = this.time.compareTo(other.time);
			return (byTime != 0) ? byTime : this.what.compareTo(other.what);
		}

	}

}
