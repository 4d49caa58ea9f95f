package io.github.lockstarter.sample.demo;

import java.time.Instant;
import java.util.List;

/**
 * Requests for one user name that were fired at once.
 *
 * @param userName the name, which no other run has
 * @param policy what their handler does
 * @param servers the instances that they went to in turn
 * @param started when the first was sent
 * @param requests the requests
 */
record Run(String userName, Policy policy, List<Instance> servers, Instant started, List<SentRequest> requests) {

	boolean isOver() {
		return this.requests.stream().allMatch((request) -> request.future().isDone());
	}

}
