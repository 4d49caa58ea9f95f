package io.github.lockstarter.service.lock;

import java.time.Duration;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;

import io.github.lockstarter.LockOptions;
import io.github.lockstarter.service.Problem;
import io.github.lockstarter.service.client.Client;

import static org.springframework.format.annotation.DurationFormat.Style.COMPOSITE;
import static org.springframework.format.datetime.standard.DurationFormatterUtils.print;

/**
 * The time to live and the wait time that a client requests, as text.
 *
 * @param ttl the time to live; {@code null} for the default
 * @param waitTime the wait; {@code null} for the default
 */
public record RequestedTimes(@Nullable String ttl, @Nullable String waitTime) {

	/**
	 * A number without a unit, which clients could mean as seconds or as milliseconds.
	 */
	private static final Pattern NUMBER = Pattern.compile("[+-]?0*[1-9]\\d*");

	/**
	 * Returns the options of the lock.
	 * @param defaults the options for times that the client does not request, limited to
	 * the maximum of the client
	 */
	LockOptions within(Client client, LockOptions defaults) {
		Duration ttl = duration("ttl", this.ttl, defaults.ttl(), client.maxTtl());
		Duration waitTime = duration("wait", this.waitTime, defaults.waitTime(), client.maxWait());
		if (ttl.toMillis() < 1) {
			throw Problem.invalid("The ttl must be at least 1ms.");
		}
		return LockOptions.of(ttl).withWaitTime(waitTime).withoutRenewal();
	}

	private static Duration duration(String name, @Nullable String text, Duration otherwise, Duration longest) {
		if (text == null) {
			return (otherwise.compareTo(longest) < 0) ? otherwise : longest;
		}
		Duration duration = parse(name, text);
		if (duration.isNegative()) {
			throw Problem.invalid("The %s must not be negative.".formatted(name));
		}
		if (duration.compareTo(longest) > 0) {
			throw Problem
				.limitExceeded("The longest %s of this client is %s.".formatted(name, print(longest, COMPOSITE)));
		}
		return duration;
	}

	private static Duration parse(String name, String text) {
		try {
			if (!NUMBER.matcher(text).matches()) {
				return DurationStyle.detectAndParse(text);
			}
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			// Rejected below, like a number.
		}
		throw Problem.invalid("The %s must be a time with its unit, such as 500ms, 30s or PT30S.".formatted(name));
	}

}
