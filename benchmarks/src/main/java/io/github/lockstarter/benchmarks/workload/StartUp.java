package io.github.lockstarter.benchmarks.workload;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.lockstarter.benchmarks.measure.Rounds;
import io.github.lockstarter.benchmarks.measure.Spread;
import io.github.lockstarter.benchmarks.measure.Table;

/**
 * Starts an application with and without the starter, each time in a new JVM.
 */
public final class StartUp implements Workload {

	private static final String APPLICATION = "io.github.lockstarter.benchmarks.startup.StartUpApplication";

	/** The text that the application prints before its figures. */
	private static final String READY = "ready ";

	@Override
	public void run(Run run) throws Exception {
		run.report().section("Start", """
				An application on Spring MVC with one endpoint is started in a new JVM each time. There are three
				variants, in turns: without a starter; with Spring Boot's starter for Redis, which connects at the
				first command; and with this starter, which connects in the background and finds `@ExclusiveRequest`
				on the endpoint. "Start" begins with the JVM, and "context" with the application context. Both end
				when the application is ready. They are ratios to the start without a starter in the same round: the
				median over the rounds, with the quartiles in brackets.""");
		Map<Variant, ClassPath> classPaths = new EnumMap<>(Variant.class);
		for (Variant variant : Variant.values()) {
			classPaths.put(variant, ClassPath.read(variant.file));
		}
		Rounds<Variant, Start> rounds = Rounds.run("startup", run.effort(1, 10, Duration.ZERO), classPaths.keySet(),
				(variant) -> start(run, Objects.requireNonNull(classPaths.get(variant))));
		report(run.report(), classPaths, rounds);
	}

	private static Start start(Run run, ClassPath classPath) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", classPath.toString(),
						APPLICATION, "--server.address=127.0.0.1", "--server.port=0", "--logging.level.root=warn",
						"--spring.main.banner-mode=off"));
		Stream.of(run.redis().properties()).map((property) -> "--" + property).forEach(command::add);
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		String figures = output.lines()
			.filter((line) -> line.startsWith(READY))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("The application did not start: " + output));
		if (process.waitFor() != 0) {
			throw new IllegalStateException("The application failed: " + output);
		}
		String[] numbers = figures.substring(READY.length()).split(" ");
		return new Start(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]), Integer.parseInt(numbers[2]));
	}

	private static void report(Report report, Map<Variant, ClassPath> classPaths, Rounds<Variant, Start> rounds)
			throws IOException {
		double least = Objects.requireNonNull(classPaths.get(Variant.WITHOUT)).megabytes();
		Table table = new Table("", "start ↓", "context ↓", "beans ↓", "class path, MB ↓", "jars ↓", "added, MB ↓");
		for (Variant variant : Variant.values()) {
			ClassPath classPath = Objects.requireNonNull(classPaths.get(variant));
			table.row(variant, rounds.ratio(variant, Variant.WITHOUT, Start::jvmMillis),
					rounds.ratio(variant, Variant.WITHOUT, Start::contextMillis),
					Math.round(rounds.of(variant, Start::beans).median()), Spread.text(classPath.megabytes()),
					classPath.jars().size(), Spread.text(classPath.megabytes() - least));
		}
		report.table("**Start.** Without the starter it took %s ms, %s of them for the context.".formatted(
				Spread.text(rounds.of(Variant.WITHOUT, Start::jvmMillis).median()),
				Spread.text(rounds.of(Variant.WITHOUT, Start::contextMillis).median())), table);
		report.paragraph("This starter adds %s ms to the start, and Spring Boot's starter for Redis %s ms."
			.formatted(added(rounds, Variant.WITH), added(rounds, Variant.REDIS)));
		List<Start> without = rounds.results(Variant.WITHOUT);
		List<Start> redis = rounds.results(Variant.REDIS);
		List<Start> with = rounds.results(Variant.WITH);
		report.atMost("start, beyond what Spring Boot's starter for Redis adds / start without a starter", 0.05,
				Spread.of(IntStream.range(0, with.size())
					.mapToDouble((i) -> (with.get(i).jvmMillis - redis.get(i).jvmMillis) / without.get(i).jvmMillis)));
	}

	private static String added(Rounds<Variant, Start> rounds, Variant variant) {
		return Spread.text(
				rounds.of(variant, Start::jvmMillis).median() - rounds.of(Variant.WITHOUT, Start::jvmMillis).median());
	}

	/** The variants of the application. */
	private enum Variant {

		WITHOUT("without", ClassPath.WITHOUT_STARTER),

		REDIS("spring-boot-starter-data-redis", "with-redis"),

		WITH("lock-spring-boot-starter", "with-starter");

		private final String title;

		private final String file;

		Variant(String title, String file) {
			this.title = title;
			this.file = file;
		}

		@Override
		public String toString() {
			return this.title;
		}

	}

	/**
	 * The figures of one start.
	 *
	 * @param jvmMillis the time from the start of the JVM
	 * @param contextMillis the time from the start of the context
	 * @param beans the number of beans
	 */
	private record Start(double jvmMillis, double contextMillis, int beans) {

	}

}
