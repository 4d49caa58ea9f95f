package io.github.lockstarter.sample.demo;

import java.util.Optional;

import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Service;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.sample.User;

/**
 * Registration that is skipped while the same one runs. {@code SKIP} is for methods that
 * no client calls, as a scheduled method, so it is on a service and not on a handler.
 */
@Service
class SkippedRegistration {

	private final RecordedRegistration registration;

	SkippedRegistration(RecordedRegistration registration) {
		this.registration = registration;
	}

	@ExclusiveRequest(name = "demo", key = "#userName", onConflict = OnConflict.SKIP)
	Optional<User> register(String userName, HttpHeaders headers) {
		return Optional.of(this.registration.register(userName, headers));
	}

}
