package io.github.lockstarter.completion;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When the leases of a call are released.
 */
class ReleaseGateTests {

	private static final int EVENTS = 7;

	private final ReleaseGate gate = new ReleaseGate(ReleaseOn.METHOD);

	private final ReleaseGate untilResponse = new ReleaseGate(ReleaseOn.RESPONSE);

	@Test
	@DisplayName("The end of the work opens the gate, once")
	void endOfWork() {
		assertThat(this.gate.endWork()).isTrue();
		assertThat(this.gate.endWork()).isFalse();
		assertThat(this.gate.endRequest()).isFalse();
		assertThat(this.gate.isOpen()).isTrue();
	}

	@Test
	@DisplayName("Work that goes on after the end of the request keeps the gate closed")
	void workAfterRequest() {
		assertThat(this.gate.beginWork()).isTrue();
		assertThat(this.gate.endRequest()).isFalse();
		assertThat(this.gate.endWork()).isTrue();
	}

	@Test
	@DisplayName("Work that has not begun by the end of the request never begins")
	void workThatNeverBegan() {
		assertThat(this.gate.endRequest()).isTrue();
		assertThat(this.gate.beginWork()).isFalse();
	}

	@Test
	@DisplayName("Work that ends with more work keeps the gate closed until that has ended")
	void workThatIsPassedOn() {
		this.gate.beginWork();
		this.gate.passOn();
		assertThat(this.gate.endWork()).isFalse();
		assertThat(this.gate.beginWork()).isTrue();
		assertThat(this.gate.endWork()).isTrue();
	}

	@Test
	@DisplayName("If the response is covered, the end of the request opens the gate")
	void response() {
		assertThat(this.untilResponse.endWork()).isFalse();
		assertThat(this.untilResponse.endRequest()).isTrue();
	}

	@Test
	@DisplayName("If the response is kept, the gate is closed until the response is known, even after the end of the request")
	void keptResponse() {
		this.gate.awaitResponse();
		assertThat(this.gate.endWork()).isFalse();
		assertThat(this.gate.awaitsResponse()).isTrue();
		assertThat(this.gate.responseKnown()).isTrue();
		this.untilResponse.awaitResponse();
		this.untilResponse.endWork();
		assertThat(this.untilResponse.endRequest()).isFalse();
		assertThat(this.untilResponse.responseKnown()).isTrue();
	}

	@Test
	@DisplayName("After the end of the request, no response is awaited")
	void noResponse() {
		this.gate.beginWork();
		assertThat(this.gate.endRequest()).isFalse();
		assertThat(this.gate.awaitResponse()).isFalse();
		assertThat(this.gate.endWork()).isTrue();
	}

	@Test
	@DisplayName("An inner call that has joined keeps the gate closed, and none can join an open one")
	void joined() {
		assertThat(this.gate.join()).isTrue();
		assertThat(this.gate.join()).isTrue();
		assertThat(this.gate.endWork()).isFalse();
		assertThat(this.gate.leave()).isFalse();
		assertThat(this.gate.leave()).isTrue();
		assertThat(this.gate.join()).isFalse();
	}

	@Test
	@DisplayName("An inner call that ends before the work opens nothing")
	void innerCallInTime() {
		this.gate.join();
		assertThat(this.gate.leave()).isFalse();
		assertThat(this.gate.endWork()).isTrue();
	}

	@Test
	@DisplayName("A call that is given up opens the gate, or the last inner call does")
	void abandoned() {
		assertThat(this.untilResponse.abandon()).isTrue();
		this.gate.join();
		assertThat(this.gate.abandon()).isFalse();
		assertThat(this.gate.leave()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("In each sequence of events the gate opens at most once, never while something needs the leases, and in the end it is open")
	void allSequences(ReleaseOn releaseOn) {
		assertThat(sequences(new ArrayList<>(), (events) -> new Run(releaseOn).holds(events))).isEmpty();
	}

	/** Returns the sequences that violate the property. */
	private static List<List<Event>> sequences(List<Event> begin, Predicate<List<Event>> property) {
		List<List<Event>> wrong = new ArrayList<>();
		if (begin.size() == EVENTS) {
			if (!property.test(begin)) {
				wrong.add(List.copyOf(begin));
			}
			return wrong;
		}
		for (Event event : Event.values()) {
			begin.add(event);
			wrong.addAll(sequences(begin, property));
			begin.remove(begin.size() - 1);
		}
		return wrong;
	}

	private enum Event {

		BEGIN, PASS_ON, END, AWAIT_RESPONSE, RESPONSE_KNOWN, END_REQUEST, JOIN, LEAVE

	}

	/** A call, and what it needs the leases for. */
	private static final class Run {

		private final ReleaseGate gate;

		private boolean underWay;

		private boolean requestEnded;

		private int joined;

		private int opened;

		Run(ReleaseOn releaseOn) {
			this.gate = new ReleaseGate(releaseOn);
		}

		boolean holds(List<Event> events) {
			for (Event event : events) {
				if (apply(event)) {
					this.opened++;
					if (this.underWay || this.joined > 0) {
						return false;
					}
				}
			}
			end();
			return this.opened == 1 && this.gate.isOpen();
		}

		/** Events that cannot happen in the state are left out. */
		private boolean apply(Event event) {
			switch (event) {
				case BEGIN -> this.underWay = this.gate.beginWork();
				case PASS_ON -> {
					if (this.underWay) {
						this.gate.passOn();
						this.underWay = false;
						return this.gate.endWork();
					}
				}
				case END -> {
					this.underWay = false;
					return this.gate.endWork();
				}
				case AWAIT_RESPONSE -> this.gate.awaitResponse();
				case RESPONSE_KNOWN -> {
					return this.gate.responseKnown();
				}
				case END_REQUEST -> {
					this.requestEnded = true;
					return this.gate.endRequest();
				}
				case JOIN -> this.joined += this.gate.join() ? 1 : 0;
				case LEAVE -> {
					if (this.joined > 0) {
						this.joined--;
						return this.gate.leave();
					}
				}
			}
			return false;
		}

		private void end() {
			List<Event> rest = new ArrayList<>(List.of(Event.RESPONSE_KNOWN, Event.END));
			if (!this.requestEnded) {
				rest.add(Event.END_REQUEST);
			}
			for (int i = this.joined; i > 0; i--) {
				rest.add(Event.LEAVE);
			}
			for (Event event : rest) {
				this.opened += apply(event) ? 1 : 0;
			}
		}

	}

}
