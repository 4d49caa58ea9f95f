package io.github.lockstarter.store.redis;

/**
 * What all locks of a store have in common.
 */
record RedisAccess(LettuceConnector connector, RedisCalls calls, Batches batches, RedisRenewals renewals,
		ReleaseChannel channel) {

}
