package io.github.lockstarter.store.redis;

/**
 * What all locks of a store have in common.
 *
 * @param keys what the keys are
 * @param connector the connection for all but grants
 * @param grants the connection for grants; another one only where replicas have to
 * acknowledge them
 * @param calls sends scripts
 * @param batches puts releases together into one request
 * @param grantBatches puts grants together into one request
 * @param renewals renews many locks at once
 * @param pubSub notifies waiters of releases
 */
record RedisAccess(RedisKeys keys, LettuceConnector connector, LettuceConnector grants, RedisCalls calls,
		Batches batches, Batches grantBatches, RedisRenewals renewals, LockPubSub pubSub) {

}
