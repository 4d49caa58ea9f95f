package io.github.lockstarter.sample.demo;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The input of the form, valid or not.
 *
 * @param policy the policy
 * @param requests the number of requests
 * @param servers the addresses of the instances for the requests
 */
record FireForm(String policy, String requests, List<String> servers) {

	static final int MAX_REQUESTS = 50;

	static FireForm initial(List<Instance> running) {
		return of(Policy.UNGUARDED, 12, running);
	}

	/** Returns the input that results in a run like this one. */
	static FireForm like(Run run) {
		return of(run.policy(), run.requests().size(), run.servers());
	}

	private static FireForm of(Policy policy, int requests, List<Instance> servers) {
		return new FireForm(policy.name(), Integer.toString(requests), servers.stream().map(Instance::url).toList());
	}

	/** Returns the errors by field. */
	Map<String, String> problems(List<Instance> running) {
		Map<String, String> problems = new LinkedHashMap<>();
		if (chosenPolicy().isEmpty()) {
			problems.put("policy", "Choose one of the four.");
		}
		if (number() < 1 || number() > MAX_REQUESTS) {
			problems.put("requests", "Enter a whole number from 1 to " + MAX_REQUESTS + ".");
		}
		if (this.servers.isEmpty()) {
			problems.put("servers", "Choose at least one.");
		}
		else if (chosen(running).size() < this.servers.size()) {
			problems.put("servers", "Not all that you chose are running. These are.");
		}
		return problems;
	}

	Optional<Policy> chosenPolicy() {
		return Arrays.stream(Policy.values()).filter((each) -> each.name().equals(this.policy)).findAny();
	}

	int number() {
		return this.requests.matches("\\d{1,4}") ? Integer.parseInt(this.requests) : 0;
	}

	List<Instance> chosen(List<Instance> running) {
		return running.stream().filter((each) -> this.servers.contains(each.url())).toList();
	}

}
