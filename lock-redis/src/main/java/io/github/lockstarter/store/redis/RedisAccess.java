package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.DroppedResults;

/**
 * The shared resources of all locks of a store.
 *
 * @param keys the format of the keys
 * @param grants the connection for grants; a separate one only if replicas have to
 * acknowledge them
 * @param calls sends scripts
 * @param batches combines releases into one command
 * @param grantBatches combines grants into one command
 * @param compareAndDelete releases a lock for which nobody waits
 * @param renewals renews many locks at once
 * @param pubSub notifies waiters of releases
 * @param dropped reports results for which Redis had no memory
 */
record RedisAccess(RedisKeys keys, LettuceConnector grants, RedisCalls calls, Batches batches, Batches grantBatches,
		CompareAndDelete compareAndDelete, RedisRenewals renewals, LockPubSub pubSub, DroppedResults dropped) {

}
