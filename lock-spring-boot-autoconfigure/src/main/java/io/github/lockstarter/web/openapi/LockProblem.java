package io.github.lockstarter.web.openapi;

import java.util.ArrayList;
import java.util.List;

import io.github.lockstarter.key.IdempotencyKeyHeader;
import io.github.lockstarter.operation.LockOperation;

/**
 * One kind of problem that a request may be answered with.
 *
 * @param status the HTTP status
 * @param type the last segment of the type
 * @param text says when
 * @param retryAfter whether the answer says when to retry
 */
record LockProblem(int status, String type, String text, boolean retryAfter) {

	/** Returns the problems of the lock of an operation. */
	static List<LockProblem> of(LockOperation operation) {
		List<LockProblem> problems = new ArrayList<>();
		int refusal = operation.refusal().value();
		problems.add(new LockProblem(refusal, "request-in-progress",
				"Another request for the same resource is being processed.", true));
		if (!operation.options().waitTime().isZero()) {
			problems.add(new LockProblem(refusal, "wait-timeout",
					"Another request for the same resource has not finished in time.", true));
			problems.add(
					new LockProblem(refusal, "wait-queue-full", "Too many requests wait for the same resource.", true));
		}
		if (operation.key() != null) {
			problems.add(problem(400, "key-missing", "A value that identifies the resource is missing."));
		}
		if (operation.readsHeader(IdempotencyKeyHeader.NAME)) {
			problems.add(problem(400, "key-empty", "The Idempotency-Key is empty."));
			problems.add(problem(400, "key-repeated", "There is more than one Idempotency-Key."));
			problems.add(problem(400, "key-malformed",
					"The Idempotency-Key is neither a string in quotes nor a single word."));
			problems.add(problem(400, "key-too-long", "The Idempotency-Key is too long."));
		}
		problems
			.add(problem(409, "lease-lost", "The exclusive use of the resource was lost before the request was done."));
		if (operation.replay() != null) {
			problems
				.add(problem(422, "payload-mismatch", "The key was used before, for a request with other content."));
		}
		problems.add(
				new LockProblem(503, "lock-store-unavailable", "The request cannot be processed at the moment.", true));
		return problems;
	}

	private static LockProblem problem(int status, String type, String text) {
		return new LockProblem(status, type, text, false);
	}

	String description() {
		return "- `https://lockstarter.github.io/problems/%s`: %s".formatted(this.type, this.text);
	}

}
