package io.github.lockstarter.sample.demo;

import java.time.Instant;
import java.util.List;

/**
 * Requests for one user name that were sent at once.
 *
 * @param userName the user name, which is unique for the run
 * @param policy the policy of their handler
 * @param servers the instances to which they were sent in turn
 * @param started the time at which the first one was sent
 * @param requests the requests
 */
record Run(String userName, Policy policy, List<Instance> servers, Instant started, List<SentRequest> requests) {

	boolean isOver() {
		return this.requests.stream().allMatch((request) -> request.future().isDone());
	}

}
