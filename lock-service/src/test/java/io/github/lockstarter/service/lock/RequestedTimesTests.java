package io.github.lockstarter.service.lock;

import java.time.Duration;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.LockOptions;
import io.github.lockstarter.service.client.Client;
import io.github.lockstarter.testing.ProcessorTime;

import static org.assertj.core.api.Assertions.catchThrowable;

class RequestedTimesTests {

	@ParameterizedTest
	@ValueSource(strings = { "0", "7", "0s", " ", "P", "1h" })
	@DisplayName("The time to read a requested time, valid or not, grows only with its length")
	void linear(String repeated) {
		Client client = new Client("team", Duration.ofHours(1), Duration.ofMinutes(1), 10);
		LockOptions defaults = LockOptions.of(Duration.ofSeconds(30));
		ProcessorTime.assertLinear((length) -> {
			RequestedTimes times = new RequestedTimes(repeated.repeat(length), null);
			return () -> catchThrowable(() -> times.within(client, defaults));
		});
	}

}
