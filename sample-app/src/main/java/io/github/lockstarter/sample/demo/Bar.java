package io.github.lockstarter.sample.demo;

import java.time.Instant;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * A request in the timeline; times are in milliseconds from the start of the run.
 *
 * @param number the number of the request
 * @param server the server that ran it, or otherwise the server that answers it
 * @param state the present state of the request
 * @param status the status of its answer, or 0
 * @param sent the time at which it was sent
 * @param started the start of its handler, or the end of the request if its handler did
 * not run
 * @param ended the end of its handler or the present time, or the end of the request if
 * its handler did not run
 * @param end the time of the answer, or the present time
 * @param answered whether it was answered
 * @param wire the transmitted request and answer
 */
record Bar(int number, String server, State state, int status, long sent, long started, long ended, long end,
		boolean answered, String wire) {

	static Bar of(SentRequest request, Instant zero, @Nullable Answer answer, @Nullable Execution execution,
			boolean winner, Instant now) {
		long sent = Timeline.millis(zero, request.sent());
		long end = Math.max(sent + 1, Timeline.millis(zero, (answer != null) ? answer.time() : now));
		long started = (execution != null) ? Math.min(end, Timeline.millis(zero, execution.started())) : end;
		long ended = (execution != null && execution.ended() != null)
				? Math.min(end, Timeline.millis(zero, execution.ended())) : end;
		return new Bar(request.number(), (execution != null) ? execution.server() : request.target().name(),
				state(answer, execution, winner), (answer != null) ? answer.status() : 0, sent, started, ended, end,
				answer != null, (answer != null) ? request.text() + "\n\n" + answer.text() : "");
	}

	private static State state(@Nullable Answer answer, @Nullable Execution execution, boolean winner) {
		if (answer == null) {
			return (execution != null) ? State.RUNNING : State.WAITING;
		}
		if (answer.replayed()) {
			return State.SHARED;
		}
		if (answer.status() == 0 || answer.status() >= 500) {
			return State.FAILED;
		}
		if (execution == null) {
			return State.REFUSED;
		}
		return (answer.status() == 201 && !winner) ? State.DUPLICATE : State.RAN;
	}

	/** Returns the state in words, preceded by the status if there is one. */
	public String label() {
		String name = this.state.name().toLowerCase(Locale.ROOT);
		return (this.status != 0) ? this.status + " " + name : name;
	}

	enum State {

		WAITING, RUNNING, RAN, DUPLICATE, SHARED, REFUSED, FAILED

	}

}
