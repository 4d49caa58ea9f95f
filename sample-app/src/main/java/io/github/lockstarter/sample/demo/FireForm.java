package io.github.lockstarter.sample.demo;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The input of the form, valid or not.
 *
 * @param policy the policy of the guarded side
 * @param requests how many requests each side gets
 * @param slow whether registrations run in slow motion
 */
record FireForm(String policy, String requests, boolean slow) {

	static final int MAX_REQUESTS = 20;

	static FireForm initial() {
		return new FireForm(Policy.REJECT.name(), "6", true);
	}

	/**
	 * Returns the input that results in a run like this one, if the form can start it.
	 */
	static FireForm like(Run run) {
		return run.right().policy().pays() ? initial()
				: new FireForm(run.right().policy().name(), Integer.toString(run.right().total()), run.slow());
	}

	/** Returns what is wrong, by field. */
	Map<String, String> problems() {
		Map<String, String> problems = new LinkedHashMap<>();
		if (chosenPolicy().isEmpty()) {
			problems.put("policy", "Choose one of the five.");
		}
		if (number() < 1 || number() > MAX_REQUESTS) {
			problems.put("requests", "Enter a whole number from 1 to " + MAX_REQUESTS + ".");
		}
		return problems;
	}

	Optional<Policy> chosenPolicy() {
		return Policy.offered().stream().filter((each) -> each.name().equals(this.policy)).findAny();
	}

	int number() {
		return this.requests.matches("\\d{1,4}") ? Integer.parseInt(this.requests) : 0;
	}

}
