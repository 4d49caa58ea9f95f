package io.github.lockstarter.registry.lease;

import java.time.Duration;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.LockOptions;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseTermTests {

	private static final Duration TTL = Duration.ofSeconds(9);

	/** The command was sent at 100 s, and the lock was granted at 101 s. */
	private static final long ASKED = seconds(100);

	private static final long GRANTED = seconds(101);

	private final LeaseTerm term = term(LockOptions.of(TTL).withMaxHold(Duration.ofSeconds(20)));

	private static LeaseTerm term(LockOptions options) {
		return new LeaseTerm(options, new Turn("owner", ASKED, TTL), GRANTED);
	}

	private static long seconds(double seconds) {
		return (long) (seconds * 1_000_000_000L);
	}

	@Test
	@DisplayName("The deadline counts from the command, and is final once a caller has seen it pass")
	void deadline() {
		assertThat(this.term.remaining(GRANTED)).isEqualTo(Duration.ofSeconds(8));
		assertThat(this.term.isHeld(seconds(108.9))).isTrue();
		assertThat(this.term.isHeld(seconds(109))).isFalse();
		assertThat(this.term.extend(seconds(103), TTL, seconds(109))).isFalse();
	}

	@Test
	@DisplayName("A renewal is due a third of the ttl after the command, and extends the lease from its own command")
	void renewal() {
		assertThat(this.term.due()).isEqualTo(seconds(103));
		assertThat(this.term.beginRenewal(seconds(101))).isZero();
		assertThat(this.term.beginRenewal(seconds(103))).isEqualTo(TTL);
		this.term.endRenewal();
		assertThat(this.term.extend(seconds(103), TTL, seconds(104))).isTrue();
		assertThat(this.term.remaining(seconds(104))).isEqualTo(Duration.ofSeconds(8));
		assertThat(this.term.due()).isEqualTo(seconds(106));
	}

	@Test
	@DisplayName("A renewal is due at once if the store may have lost the lock since the last one was sent")
	void lostMeanwhile() {
		this.term.beginRenewal(seconds(103));
		this.term.renewNow(seconds(103.5));
		this.term.endRenewal();
		assertThat(this.term.extend(seconds(103), TTL, seconds(104))).isTrue();
		assertThat(this.term.due()).isEqualTo(seconds(104));
	}

	@Test
	@DisplayName("After a failed renewal, the next one is due a ninth of the ttl later")
	void again() {
		this.term.beginRenewal(seconds(103));
		this.term.endRenewal();
		this.term.renewAgain(seconds(104));
		assertThat(this.term.due()).isEqualTo(seconds(105));
	}

	@Test
	@DisplayName("The last renewal ends with max-hold, and the reason says so")
	void maxHold() {
		LeaseTerm late = term(LockOptions.of(TTL).withMaxHold(Duration.ofSeconds(10)));
		assertThat(late.beginRenewal(seconds(103))).isEqualTo(Duration.ofSeconds(8));
		assertThat(late.extend(seconds(103), Duration.ofSeconds(8), seconds(104))).isTrue();
		assertThat(late.beginRenewal(seconds(106))).isZero();
		assertThat(late.whyExpired()).contains("max-hold");
	}

	@Test
	@DisplayName("No renewal is sent while a transaction commits, and one is due soon after")
	void committing() {
		this.term.setCommitting(true);
		assertThat(this.term.beginRenewal(seconds(103))).isZero();
		assertThat(this.term.due()).isEqualTo(seconds(103.75));
		this.term.setCommitting(false);
		assertThat(this.term.beginRenewal(seconds(103.75))).isEqualTo(TTL);
	}

	@Test
	@DisplayName("The loss is judged 50 ms later if a renewal is in flight")
	void postponed() {
		assertThat(this.term.postponeLoss(seconds(109))).isFalse();
		this.term.beginRenewal(seconds(103));
		assertThat(this.term.postponeLoss(seconds(109))).isTrue();
		assertThat(this.term.due()).isEqualTo(seconds(109.05));
		assertThat(this.term.postponeLoss(seconds(109.05))).isFalse();
	}

	@Test
	@DisplayName("A lease that is not renewed is renewed once for the rest of its time if the store may have lost it")
	void verified() {
		LeaseTerm once = term(LockOptions.of(TTL).withoutRenewal());
		assertThat(once.due()).isEqualTo(seconds(109));
		assertThat(once.beginRenewal(seconds(105))).isZero();
		once.renewNow(seconds(105));
		assertThat(once.beginRenewal(seconds(105))).isEqualTo(Duration.ofSeconds(4));
		assertThat(once.whyExpired()).contains("is not renewed");
	}

}
