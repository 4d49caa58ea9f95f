package io.github.lockstarter.sample.demo;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.github.lockstarter.sample.demo.Bar.State;

/**
 * A result for the page to show before anything was fired.
 */
final class Example {

	private static final int REQUESTS = 6;

	private static final long LENGTH = 3000;

	private final Map<String, Instance> instances;

	private Example(List<Instance> running) {
		this.instances = Run.byLetter(running);
	}

	static Timeline timeline(List<Instance> running) {
		return new Example(running).timeline();
	}

	private Timeline timeline() {
		LaneTimeline left = new LaneTimeline(Policy.UNGUARDED, REQUESTS, REQUESTS, REQUESTS, Map.of("201", 6L),
				bars((number) -> ran(number, (number == 1) ? State.REGISTERED : State.DUPLICATE)));
		LaneTimeline right = new LaneTimeline(Policy.REJECT, REQUESTS, 1, 1,
				new TreeMap<>(Map.of("201", 1L, "409", 5L)),
				bars((number) -> (number == 1) ? ran(number, State.REGISTERED) : rejected(number)));
		return new Timeline("", true, false, LENGTH, this.instances, left, right, new Story(left, right, true).ofRun());
	}

	private static List<Bar> bars(IntFunction<Bar> bar) {
		return IntStream.rangeClosed(1, REQUESTS).mapToObj(bar).toList();
	}

	private Bar ran(int number, State state) {
		return new Bar(number, instance(number), state, 201, 0, 60, 60, LENGTH, true, "");
	}

	private Bar rejected(int number) {
		return new Bar(number, instance(number), State.REJECTED, 409, 0, 120, 120, 120, false, "");
	}

	private String instance(int number) {
		return Run.letter((number - 1) % this.instances.size());
	}

}
