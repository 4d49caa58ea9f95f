package io.github.lockstarter.sample.demo;

import java.time.Duration;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.sample.demo.Bar.State;

/**
 * What has happened in a run, in words.
 *
 * @param left the side that is worse off
 * @param right the side that is better off
 * @param over whether all requests have their responses
 */
record Story(LaneTimeline left, LaneTimeline right, boolean over) {

	String of(Run run, Duration ttl) {
		Kill kill = run.kill();
		if (kill == null) {
			return ofRun();
		}
		return this.right.policy().pays() ? ofPayment(run, kill) : ofKill(run, kill, ttl);
	}

	String ofRun() {
		return this.over ? verdict() : "The requests are under way.";
	}

	String ofKill(Run run, Kill kill, Duration ttl) {
		String letter = run.letter(kill.instance().name());
		Kill.Outcome outcome = kill.outcome();
		if (outcome == null) {
			return "Instance %s runs request 1 and holds the lock. It will be killed in a moment.".formatted(letter);
		}
		if (kill.hasFailed()) {
			return notKilled(letter, outcome, verdict());
		}
		long killed = Timeline.millis(run.started(), outcome.time());
		String death = "Instance %s was killed after %s, while it held the lock.".formatted(letter, seconds(killed));
		Bar next = next(letter);
		if (next == null) {
			return "%s It cannot release the lock. The lock expires at its ttl, %s after its last renewal."
				.formatted(death, seconds(ttl.toMillis()));
		}
		String takeover = "The lock expired at its ttl, and request %d took over on instance %s, %s after the kill."
			.formatted(next.number(), next.instance(), seconds(next.started() - killed));
		return "%s %s%s".formatted(death, takeover, this.over ? " " + verdict() : "");
	}

	private String ofPayment(Run run, Kill kill) {
		String letter = run.letter(kill.instance().name());
		Kill.Outcome outcome = kill.outcome();
		String result = "%s: %s. %s: %s.".formatted(this.left.policy().label(), payments(this.left),
				this.right.policy().label(), payments(this.right));
		if (outcome == null) {
			return "Instance %s makes a payment on both sides. It will be killed after the commit, before it responds."
				.formatted(letter);
		}
		if (kill.hasFailed()) {
			return notKilled(letter, outcome, result);
		}
		String killed = "Instance %s was killed after %s".formatted(letter,
				seconds(Timeline.millis(run.started(), outcome.time())));
		if (!isWithoutResponse(this.left) || !isWithoutResponse(this.right)) {
			return killed + ", but had responded." + (this.over ? " " + result : "");
		}
		return killed + ": both payments are committed, and the client has no response."
				+ (this.over ? " The client sent both again. " + result
						: " The client sends both again. The lock in Redis has to expire first.");
	}

	/**
	 * Returns whether the instance was killed before it responded to the first request.
	 */
	private static boolean isWithoutResponse(LaneTimeline lane) {
		return lane.bars().stream().limit(1).allMatch((bar) -> bar.state() == State.KILLED);
	}

	private String notKilled(String letter, Kill.Outcome outcome, String result) {
		return "Instance %s was not killed: %s.%s".formatted(letter, outcome.failure(), this.over ? " " + result : "");
	}

	private static String payments(LaneTimeline lane) {
		return (lane.rows() == 1) ? "1 payment" : lane.rows() + " payments";
	}

	/** The first request that ran on another instance. */
	private @Nullable Bar next(String letter) {
		return this.right.bars()
			.stream()
			.filter((bar) -> bar.executed() && !bar.instance().equals(letter))
			.min((one, other) -> Long.compare(one.started(), other.started()))
			.orElse(null);
	}

	private String verdict() {
		long failed = this.right.statuses().getOrDefault("503", 0L);
		return "Without a lock: %s. With the lock: %s.%s".formatted(users(this.left), users(this.right),
				(failed > 0) ? " The lock store failed, so %d of the requests did not run.".formatted(failed) : "");
	}

	private static String users(LaneTimeline lane) {
		return switch (lane.rows()) {
			case 0 -> "no user";
			case 1 -> "1 user";
			default -> lane.rows() + " users with the same name";
		};
	}

	private static String seconds(long millis) {
		return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
	}

}
