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

	/** The header with the number of the request. */
	static final String NUMBER = "Request-Number";

	/** The header with how many times as long as usual a registration takes. */
	static final String SLOWDOWN = "Slowdown";

	static final int MAX_SLOWDOWN = 6;

	private final RegistrationService registration;

	private final Executions executions;

	private final Instances instances;

	RecordedRegistration(RegistrationService registration, Executions executions, Instances instances) {
		this.registration = registration;
		this.executions = executions;
		this.instances = instances;
	}

	User register(String userName, HttpHeaders headers) {
		int number = number(headers, NUMBER);
		this.executions.begin(userName, number, this.instances.own().name());
		try {
			return this.registration.registerUnguarded(userName, Math.min(number(headers, SLOWDOWN), MAX_SLOWDOWN));
		}
		finally {
			this.executions.end(userName, number);
		}
	}

	private static int number(HttpHeaders headers, String name) {
		String value = headers.getFirst(name);
		return (value != null && value.matches("\\d{1,4}")) ? Integer.parseInt(value) : 1;
	}

}
