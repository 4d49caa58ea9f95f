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
 * @param unguarded the side without a lock
 * @param guarded the side with a lock
 * @param story what has happened, in words
 */
record Timeline(String id, boolean over, boolean kill, long length, Map<String, Instance> instances,
		LaneTimeline unguarded, LaneTimeline guarded, String story) {

	/** The time axis has room for a registration from the start, so that bars grow. */
	private static final long ROOM = 600;

	static Timeline of(Run run, Executions executions, Duration ttl) {
		boolean over = run.isOver();
		LaneTimeline unguarded = LaneTimeline.of(run, run.unguarded(), executions);
		LaneTimeline guarded = LaneTimeline.of(run, run.guarded(), executions);
		Story story = new Story(unguarded, guarded, over);
		return new Timeline(run.id(), over, run.kill() != null,
				run.slow() ? ROOM * RecordedRegistration.MAX_SLOWDOWN : ROOM, Run.byLetter(run.instances()), unguarded,
				guarded, (run.kill() != null) ? story.ofKill(run, run.kill(), ttl) : story.ofRun());
	}

	public List<LaneTimeline> lanes() {
		return List.of(this.unguarded, this.guarded);
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
