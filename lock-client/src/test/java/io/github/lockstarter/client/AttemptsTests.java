package io.github.lockstarter.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The distribution of the waits of many clients.
 */
class AttemptsTests {

	private final VirtualTime time = new VirtualTime();

	@Test
	@DisplayName("Clients with the same retry time are spread over the following tenth of it, and none retries earlier")
	void spread() {
		assertThat(delays(unavailable("10"))).allSatisfy((delay) -> assertThat(delay).isBetween(10_000L, 11_000L))
			.anySatisfy((delay) -> assertThat(delay).isLessThan(10_100))
			.anySatisfy((delay) -> assertThat(delay).isGreaterThan(10_900));
	}

	@Test
	@DisplayName("Clients that may retry at once are spread, too")
	void spreadAtOnce() {
		assertThat(delays(unavailable("0"))).allSatisfy((delay) -> assertThat(delay).isBetween(0L, 100L))
			.anySatisfy((delay) -> assertThat(delay).isLessThan(20))
			.anySatisfy((delay) -> assertThat(delay).isGreaterThan(80));
	}

	@Test
	@DisplayName("A wait without a given retry time is randomized by half")
	void spreadBackOff() {
		assertThat(delays(unavailable(null))).allSatisfy((delay) -> assertThat(delay).isBetween(100L, 200L))
			.anySatisfy((delay) -> assertThat(delay).isLessThan(110))
			.anySatisfy((delay) -> assertThat(delay).isGreaterThan(190));
	}

	@Test
	@DisplayName("The random part does not exceed the limit: the last attempt starts at the limit at the latest")
	void limit() {
		assertThat(delays(unavailable("30"))).containsOnly(30_000L);
		assertThat(delays(unavailable("29"))).allSatisfy((delay) -> assertThat(delay).isBetween(29_000L, 30_000L))
			.contains(30_000L);
	}

	@Test
	@DisplayName("The wait grows to 10 seconds, and not further")
	void longest() {
		RetryLimits limits = new RetryLimits(12, Duration.ofHours(1));
		Retries retries = this.time.retries(limits, VirtualTime.ZERO);
		Attempts attempts = retries.begin(HttpMethod.GET, HttpHeaders.EMPTY);
		List<Long> delays = IntStream.range(0, 11)
			.mapToObj((i) -> attempts.delayAfter(unavailable(null)).orElseThrow().toMillis())
			.toList();
		assertThat(delays).startsWith(100L, 200L, 400L, 800L, 1600L, 3200L).endsWith(5000L, 5000L, 5000L);
		assertThat(attempts.delayAfter(unavailable(null))).isEmpty();
	}

	/** Returns the first wait of each of many clients. */
	private List<Long> delays(ReceivedResponse received) {
		Random random = new Random(4711);
		return IntStream.range(0, 200)
			.mapToObj((i) -> this.time.retries(RetryLimits.DEFAULT, random).begin(HttpMethod.GET, HttpHeaders.EMPTY))
			.map((attempts) -> attempts.delayAfter(received))
			.map(Optional::orElseThrow)
			.map(Duration::toMillis)
			.toList();
	}

	private static ReceivedResponse unavailable(String retryAfter) {
		HttpHeaders headers = new HttpHeaders();
		headers.set(HttpHeaders.RETRY_AFTER, retryAfter);
		return ReceivedResponse.of(HttpStatus.SERVICE_UNAVAILABLE, headers);
	}

}
