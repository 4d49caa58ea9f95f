package io.github.lockstarter.sample.demo;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * A run as it stands: what the servers wrote down, and what they answered.
 *
 * @param run the run
 * @param over whether all requests are answered
 * @param rows how many users of the name are in the database
 * @param executions how often a handler ran
 * @param statuses how many answers have each status
 * @param bars the requests
 */
record Timeline(Run run, boolean over, int rows, int executions, Map<String, Long> statuses, List<Bar> bars) {

	static Timeline of(Run run, Executions executions) {
		// First the answers: what was answered is in the database by then.
		boolean over = run.isOver();
		Map<Integer, Answer> answers = new TreeMap<>();
		run.requests().forEach((request) -> {
			Answer answer = request.answer();
			if (answer != null) {
				answers.put(request.number(), answer);
			}
		});
		List<Execution> executed = executions.of(run.userName());
		Map<Integer, Execution> byRequest = executed.stream()
			.collect(Collectors.toMap(Execution::request, Function.identity(), (first, second) -> first));
		Optional<Integer> winner = executed.stream()
			.map(Execution::request)
			.filter((number) -> isOrMayBeCreated(answers.get(number)))
			.findFirst();
		Instant now = Instant.now();
		List<Bar> bars = run.requests()
			.stream()
			.map((request) -> Bar.of(request, run.started(), answers.get(request.number()),
					byRequest.get(request.number()), winner.filter((first) -> first == request.number()).isPresent(),
					now))
			.toList();
		Map<String, Long> statuses = answers.values()
			.stream()
			.collect(Collectors.groupingBy((answer) -> (answer.status() != 0) ? "" + answer.status() : "no answer",
					TreeMap::new, Collectors.counting()));
		return new Timeline(run, over, executions.rows(run.userName()), executed.size(), statuses, bars);
	}

	/** So that what is seen as the first one stays that, unless it fails. */
	private static boolean isOrMayBeCreated(@Nullable Answer answer) {
		return answer == null || answer.status() == 201;
	}

	/** The length of the time axis, in milliseconds. */
	public long length() {
		return this.bars.stream().mapToLong(Bar::end).max().orElse(1);
	}

	public int open() {
		return (int) this.bars.stream().filter((bar) -> !bar.answered()).count();
	}

	static long millis(Instant start, Instant time) {
		return Math.max(0, Duration.between(start, time).toMillis());
	}

}
