package io.github.lockstarter.result;

import tools.jackson.databind.json.JsonMapper;

import io.github.lockstarter.count.LockEventCounter;

/**
 * The sharing of results in a test.
 *
 * @param predicate decides which results are shared
 * @param counts counts them
 * @param limit the largest size of a result in any store
 */
public record TestSharingContext(ResultPredicate predicate, LockEventCounter counts,
		long limit) implements SharingContext {

	/** Shares successful results, in a store that keeps any of them. */
	public TestSharingContext(LockEventCounter counts) {
		this(ResultPredicate.SUCCESSFUL, counts, Long.MAX_VALUE);
	}

	@Override
	public JsonMapper mapper() {
		return JsonMapper.builder().build();
	}

	@Override
	public long storeLimit(String lockName) {
		return this.limit;
	}

}
