package io.github.lockstarter.sample.demo;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A run as it stands, on one time axis.
 *
 * @param id the run
 * @param over whether all requests have their responses
 * @param kill whether an instance is killed in it
 * @param length the length of the time axis at least, in milliseconds
 * @param instances the instances by their letters
 * @param left the side that is worse off
 * @param right the side that is better off
 * @param story what has happened, in words
 */
record Timeline(String id, boolean over, boolean kill, long length, Map<String, Instance> instances, LaneTimeline left,
		LaneTimeline right, String story) {

	/** The time axis has room for a registration from the start, so that bars grow. */
	private static final long ROOM = 600;

	static Timeline of(Run run, Executions executions, Duration ttl) {
		boolean over = run.isOver();
		LaneTimeline left = LaneTimeline.of(run, run.left(), executions);
		LaneTimeline right = LaneTimeline.of(run, run.right(), executions);
		Story story = new Story(left, right, over);
		return new Timeline(run.id(), over, run.kill() != null, run.slow() ? ROOM * RequestNumbers.MAX_SLOWDOWN : ROOM,
				Run.byLetter(run.instances()), left, right, story.of(run, ttl));
	}

	/** Returns what the two sides are. */
	public String title() {
		if (this.id.isEmpty()) {
			return "Example of a result";
		}
		return this.right.policy().pays() ? "A payment and its retry, with locks in Redis and in the database"
				: "No lock and %s, %d requests each".formatted(this.right.policy().label(), this.right.total());
	}

	public List<LaneTimeline> lanes() {
		return List.of(this.left, this.right);
	}

	/** The length of the time axis: as far as the last bar reaches. */
	@Override
	public long length() {
		return lanes().stream()
			.flatMap((lane) -> lane.bars().stream())
			.mapToLong((bar) -> Math.max(bar.started(), bar.ended()))
			.reduce(this.length, Math::max);
	}

	static long millis(Instant start, Instant time) {
		return Math.max(0, Duration.between(start, time).toMillis());
	}

}
