package io.github.lockstarter.sample.demo;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * One side of a run: requests for one user name under one policy.
 *
 * @param userName the name, which no other lane has
 * @param policy what their handler does
 * @param total how many requests are to be sent
 * @param requests those that were sent
 */
record Lane(String userName, Policy policy, int total, List<SentRequest> requests) {

	static Lane of(Policy policy, int total) {
		// Users stay in the database, so each run needs a new name.
		return new Lane("taro_" + UUID.randomUUID().toString().substring(0, 8), policy, total,
				new CopyOnWriteArrayList<>());
	}

}
