package io.github.lockstarter;

import java.time.Duration;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LockOptionsTests {

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(1));

	@Test
	@DisplayName("A time to live is truncated to milliseconds, so that no holder assumes more time than the store grants")
	void wholeMilliseconds() {
		assertThat(LockOptions.of(Duration.ofNanos(20_999_999)).ttl()).isEqualTo(Duration.ofMillis(20));
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT-1S", "PT0.0009S", "P366D", "PT2562047788015215H" })
	@DisplayName("A time to live out of range is rejected")
	void ttl(Duration ttl) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockOptions.of(ttl)).withMessageContaining("1ms");
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT-0.001S", "P366D", "PT2562047788015215H" })
	@DisplayName("A wait out of range is rejected")
	void waitTime(Duration waitTime) {
		assertThatIllegalArgumentException().isThrownBy(() -> OPTIONS.withWaitTime(waitTime));
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0.999S", "PT0S", "P366D" })
	@DisplayName("A max-hold that is shorter than the time to live, or out of range, is rejected")
	void maxHold(Duration maxHold) {
		assertThatIllegalArgumentException().isThrownBy(() -> OPTIONS.withMaxHold(maxHold))
			.withMessageContaining("longest hold");
	}

	@Test
	@DisplayName("By default, a lock is renewed for up to 5 minutes, or for its time to live if that is longer")
	void defaultMaxHold() {
		assertThat(OPTIONS.maxHold()).isEqualTo(Duration.ofMinutes(5));
		assertThat(LockOptions.of(Duration.ofHours(1)).maxHold()).isEqualTo(Duration.ofHours(1));
		assertThat(OPTIONS.withoutRenewal().maxHold()).isEqualTo(OPTIONS.ttl());
	}

}
