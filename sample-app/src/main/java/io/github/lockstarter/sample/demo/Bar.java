package io.github.lockstarter.sample.demo;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * A request in the timeline. Times are in milliseconds from the start of the run. No time
 * is before the one above it. A time whose event did not happen is the end of the
 * request, or the present if the request has not ended.
 *
 * @param number the number of the request
 * @param instance the letter of the instance that ran the registration, or to which the
 * request was sent if none ran
 * @param state the state of the request
 * @param status the status of the response, or 0 if there is none
 * @param sent the time at which the request was sent
 * @param waited the time at which the request began to wait for another one, or
 * {@code started} if it did not wait
 * @param started the time at which the registration began
 * @param ended the time at which the registration ended
 * @param executed whether the registration ran
 * @param exchange the request and its response as text, or empty if it has not ended
 */
record Bar(int number, String instance, State state, int status, long sent, long waited, long started, long ended,
		boolean executed, String exchange) {

	static Bar of(Run run, Lane lane, SentRequest request, @Nullable ReceivedResponse response,
			List<Execution> executions, Instant now) {
		Optional<Execution> own = executions.stream().filter((each) -> each.request() == request.number()).findFirst();
		long sent = millis(run, request.sent());
		long end = Math.max(sent + 1, millis(run, (response != null) ? response.time() : now));
		long started = own.map((each) -> Math.min(end, millis(run, each.started()))).orElse(end);
		long ended = own.map(Execution::ended).map((time) -> Math.min(end, millis(run, time))).orElse(end);
		boolean waits = !lane.policy().waitsFor().isEmpty();
		long waited = executions.stream()
			.filter((first) -> waits && first.request() != request.number())
			.findFirst()
			.map((first) -> Math.max(sent, Math.min(started, millis(run, first.started()))))
			.orElse(started);
		State state = state(run, lane, request, response, executions);
		return new Bar(request.number(), run.letter(own.map(Execution::instance).orElse(request.target().name())),
				(state == State.SENT && waited < started) ? State.WAITING : state,
				(response != null) ? response.status() : 0, sent, waited, started, ended, own.isPresent(),
				(response != null) ? request.text() + "\n\n" + response.text() : "");
	}

	private static State state(Run run, Lane lane, SentRequest request, @Nullable ReceivedResponse response,
			List<Execution> executions) {
		boolean executed = executions.stream().anyMatch((each) -> each.request() == request.number());
		if (response == null) {
			return executed ? State.RUNNING : State.SENT;
		}
		if (response.status() == 0 && run.isKilled(request.target())) {
			return State.KILLED;
		}
		if (response.replayed()) {
			return lane.policy().replays() ? State.REPLAYED : State.SHARED;
		}
		if (executed && response.registered()) {
			return lane.policy().pays() ? State.PAID : State.REGISTERED;
		}
		if (response.status() == 0 || response.status() >= 500) {
			return State.FAILED;
		}
		if (response.status() == 204) {
			return State.SKIPPED;
		}
		return executed ? State.NAME_TAKEN : State.REJECTED;
	}

	private static long millis(Run run, Instant time) {
		return Timeline.millis(run.started(), time);
	}

	/** Returns this bar as that of a request that made a second user or payment. */
	Bar duplicate() {
		return new Bar(this.number, this.instance, State.DUPLICATE, this.status, this.sent, this.waited, this.started,
				this.ended, true, this.exchange);
	}

	public boolean responded() {
		return this.state.compareTo(State.RUNNING) > 0;
	}

	/** Returns the state in words, preceded by the status if there is one. */
	public String label() {
		return (this.status != 0) ? this.status + " " + this.state.label() : this.state.label();
	}

	/**
	 * A request passes through the states up to RUNNING in this order, and ends in
	 * another.
	 */
	enum State {

		SENT, WAITING, RUNNING, REGISTERED, PAID, DUPLICATE, NAME_TAKEN, SHARED, REPLAYED, SKIPPED, REJECTED, KILLED,
		FAILED;

		/** Returns whether the request has made a user or a payment. */
		boolean created() {
			return this == REGISTERED || this == PAID;
		}

		/** The class of the style sheet. */
		public String style() {
			return name().toLowerCase(Locale.ROOT).replace('_', '-');
		}

		String label() {
			return style().replace('-', ' ');
		}

	}

}
