package io.github.lockstarter.sample.demo;

import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Service;

import io.github.lockstarter.sample.RegistrationService;
import io.github.lockstarter.sample.User;

/**
 * Registration that is written down, so that the page can show when it ran and where.
 */
@Service
class RecordedRegistration {

	private final RegistrationService registration;

	private final Executions executions;

	private final Instances instances;

	RecordedRegistration(RegistrationService registration, Executions executions, Instances instances) {
		this.registration = registration;
		this.executions = executions;
		this.instances = instances;
	}

	User register(String userName, HttpHeaders headers) {
		RequestNumbers numbers = RequestNumbers.of(headers);
		this.executions.begin(userName, numbers.request(), this.instances.own().name());
		try {
			return this.registration.registerUnguarded(userName, numbers.slowdown());
		}
		finally {
			this.executions.end(userName, numbers.request());
		}
	}

}
