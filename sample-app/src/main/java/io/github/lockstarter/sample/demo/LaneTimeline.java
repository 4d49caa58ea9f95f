package io.github.lockstarter.sample.demo;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * One side of a run as it stands: what the instances recorded, and how they responded.
 *
 * @param policy the policy
 * @param total how many requests are to be sent
 * @param rows how many users or payments of the name are in the database
 * @param executions how often a handler ran
 * @param statuses how many responses have each status
 * @param bars the requests that were sent
 */
record LaneTimeline(Policy policy, int total, int rows, int executions, Map<String, Long> statuses, List<Bar> bars) {

	static LaneTimeline of(Run run, Lane lane, Executions executions) {
		// First the responses: what was sent is in the database by then.
		Map<Integer, ReceivedResponse> responses = new HashMap<>();
		lane.requests().forEach((request) -> {
			ReceivedResponse response = request.response();
			if (response != null) {
				responses.put(request.number(), response);
			}
		});
		List<Execution> executed = executions.of(lane.userName());
		Optional<Integer> winner = executed.stream()
			.map(Execution::request)
			// An instance is killed only when its payment is committed.
			.filter((number) -> lane.policy().pays() || isOrMayBeCreated(responses.get(number)))
			.findFirst();
		int rows = executions.rows(lane);
		Instant now = Instant.now();
		List<Bar> bars = lane.requests()
			.stream()
			.map((request) -> Bar.of(run, lane, request, responses.get(request.number()), executed, now))
			.map((bar) -> (rows > 1 && bar.state().created() && winner.get() != bar.number()) ? bar.duplicate() : bar)
			.toList();
		Map<String, Long> statuses = responses.values()
			.stream()
			.collect(Collectors.groupingBy(
					(response) -> (response.status() != 0) ? "" + response.status() : "no response", TreeMap::new,
					Collectors.counting()));
		return new LaneTimeline(lane.policy(), lane.total(), rows, executed.size(), statuses, bars);
	}

	/** So that what is seen as the first one stays that, unless it fails. */
	private static boolean isOrMayBeCreated(@Nullable ReceivedResponse response) {
		return response == null || response.registered();
	}

	/** Identifies it in the page. */
	public String id() {
		return (this.policy == Policy.UNGUARDED || this.policy.pays()) ? this.policy.style() : "guarded";
	}

	public long open() {
		return this.total - this.bars.stream().filter(Bar::responded).count();
	}

}
