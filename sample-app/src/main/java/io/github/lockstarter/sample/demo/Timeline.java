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
 * The present state of a run: the executions that the servers have recorded, and the
 * answers.
 *
 * @param run the run
 * @param over whether all requests are answered
 * @param rows the number of users with the name in the database
 * @param executions the number of executions of a handler
 * @param statuses the number of answers by status
 * @param bars the requests
 */
record Timeline(Run run, boolean over, int rows, int executions, Map<String, Long> statuses, List<Bar> bars) {

	static Timeline of(Run run, Executions executions) {
		// The answers are read first: the executions of answered requests are in the
		// database by then.
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

	/**
	 * Includes unanswered requests, so that the first execution stays the first unless it
	 * fails.
	 */
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
