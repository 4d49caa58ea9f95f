package io.github.lockstarter.autoconfigure;

import java.util.function.ToLongFunction;

import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.result.ResultPredicate;
import io.github.lockstarter.result.SharingContext;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;

/**
 * The beans of the application that the sharing of results needs.
 */
final class ApplicationSharingContext implements SharingContext {

	private final ObjectProvider<JsonMapper> mapper;

	private final ObjectProvider<ResultPredicate> predicate;

	private final ObjectProvider<LockEventCounter> counts;

	private final SingletonSupplier<ToLongFunction<String>> limits;

	ApplicationSharingContext(ObjectProvider<JsonMapper> mapper, ObjectProvider<ResultPredicate> predicate,
			ObjectProvider<LockEventCounter> counts, ObjectProvider<LockStores> stores,
			ObjectProvider<LockStore> store) {
		this.mapper = mapper;
		this.predicate = predicate;
		this.counts = counts;
		this.limits = SingletonSupplier.of(() -> limits(stores, store));
	}

	/** Returns the limits by the names of locks. A custom registry may use any store. */
	private static ToLongFunction<String> limits(ObjectProvider<LockStores> stores, ObjectProvider<LockStore> store) {
		LockStores known = stores.getIfAvailable();
		if (known != null) {
			return (lockName) -> known.of(lockName).maxResultSize();
		}
		long smallest = store.stream().mapToLong(LockStore::maxResultSize).min().orElse(Long.MAX_VALUE);
		return (lockName) -> smallest;
	}

	@Override
	public JsonMapper mapper() {
		return this.mapper.getIfUnique(() -> JsonMapper.builder().build());
	}

	@Override
	public ResultPredicate predicate() {
		return this.predicate.getIfAvailable(() -> ResultPredicate.SUCCESSFUL);
	}

	@Override
	public LockEventCounter counts() {
		return this.counts.getObject();
	}

	@Override
	public long storeLimit(String lockName) {
		return this.limits.obtain().applyAsLong(lockName);
	}

}
