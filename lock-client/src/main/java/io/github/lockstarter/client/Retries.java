package io.github.lockstarter.client;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.util.IdGenerator;
import org.springframework.util.JdkIdGenerator;
import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * The rules by which requests of a client are repeated. Time and randomness are injected.
 * <p>
 * Spring's {@link org.springframework.core.retry.RetryTemplate} does not support this.
 * Its back-off does not know the outcome of an attempt, so it cannot use the delay of the
 * response. It treats only exceptions as failures, and its clock cannot be injected.
 */
final class Retries {

	private static final String KEY = "Idempotency-Key";

	/** The idempotent methods of RFC 9110, section 9.2.2. */
	private static final Set<HttpMethod> IDEMPOTENT = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS,
			HttpMethod.TRACE, HttpMethod.PUT, HttpMethod.DELETE);

	private static final Set<HttpMethod> NEEDS_KEY = Set.of(HttpMethod.POST, HttpMethod.PATCH);

	private static final long FIRST_BACK_OFF_MILLIS = 200;

	private static final long LONGEST_BACK_OFF_MILLIS = 10_000;

	private final RetryLimits limits;

	private final IdGenerator keys;

	private final RandomGenerator random;

	private final LongSupplier nanoTime;

	private final InstantSource clock;

	private final ExponentialBackOff backOff;

	Retries(RetryLimits limits, IdGenerator keys, RandomGenerator random, LongSupplier nanoTime, InstantSource clock) {
		this.limits = limits;
		this.keys = keys;
		this.random = random;
		this.nanoTime = nanoTime;
		this.clock = clock;
		this.backOff = new ExponentialBackOff(FIRST_BACK_OFF_MILLIS, 2);
		this.backOff.setMaxInterval(LONGEST_BACK_OFF_MILLIS);
		this.backOff.setMaxAttempts(limits.maxAttempts() - 1);
	}

	/** Returns retries with the clock of the system. */
	static Retries within(RetryLimits limits) {
		return new Retries(limits, new JdkIdGenerator(), () -> ThreadLocalRandom.current().nextLong(), System::nanoTime,
				InstantSource.system());
	}

	/** Returns the headers of all attempts, with a key if the request needs one. */
	HttpHeaders headers(HttpMethod method, HttpHeaders headers) {
		HttpHeaders all = HttpHeaders.copyOf(headers);
		if (NEEDS_KEY.contains(method) && !all.containsHeader(KEY)) {
			// A string as in RFC 9651.
			all.set(KEY, "\"" + this.keys.generateId() + "\"");
		}
		return all;
	}

	/** Begins with the first attempt. */
	Attempts begin(HttpMethod method, HttpHeaders headers) {
		return new Attempts(this, method, IDEMPOTENT.contains(method) || headers.containsHeader(KEY));
	}

	Duration maxTime() {
		return this.limits.maxTime();
	}

	BackOffExecution startBackOff() {
		return this.backOff.start();
	}

	Duration nextJitter(Duration longest) {
		return Duration.ofNanos(this.random.nextLong(longest.toNanos() + 1));
	}

	long nanoTime() {
		return this.nanoTime.getAsLong();
	}

	InstantSource clock() {
		return this.clock;
	}

}
