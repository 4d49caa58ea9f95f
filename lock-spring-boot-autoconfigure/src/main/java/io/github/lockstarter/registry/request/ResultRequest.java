package io.github.lockstarter.registry.request;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.observe.RegistryObserver;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.registry.runtime.OwnerTokens;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredResult;

/**
 * Asks for a lease, or for a result of the holders that the caller met.
 */
public final class ResultRequest extends AcquireRequest {

	private final OwnerTokens owners;

	private final ResultKey resultKey;

	/** From which fencing token of the store on results count. */
	private volatile long since;

	/**
	 * Creates a request.
	 * @param resultKey which result the caller takes, and where it leaves one
	 * @param since the fencing token from which on results count
	 */
	public ResultRequest(LockKey key, LockOptions options, Delivery delivery, EngineRuntime runtime,
			RegistryObserver observer, OwnerTokens owners, ResultKey resultKey, long since) {
		super(key, options, delivery, runtime, observer);
		this.owners = owners;
		this.resultKey = resultKey;
		this.since = since;
	}

	@Override
	public String owner() {
		return this.owners.next();
	}

	/** A caller that has just arrived can have missed nothing. */
	@Override
	public AcquireCommand command(String owner) {
		Duration maxAge = isContended() ? Duration.ofNanos(waited()) : Duration.ZERO;
		return AcquireCommand.of(owner, options().ttl()).orResult(new ResultQuery(this.resultKey, this.since, maxAge));
	}

	@Override
	public ResultKey resultKey() {
		return this.resultKey;
	}

	@Override
	public boolean takes(StoredResult result, long stored) {
		long age = begin() - stored;
		boolean kept = age <= result.key().keep().toNanos();
		boolean counts = kept && (result.fencingToken() >= this.since || age < 0);
		return counts && this.resultKey.name().equals(result.key().name());
	}

	/** The first holder that the caller meets is the first whose result counts. */
	@Override
	public void noteHolder(long storeToken) {
		if (this.since == ResultQuery.NOBODY && storeToken > 0) {
			this.since = storeToken;
		}
	}

	/** A holder that asked for another result says nothing about this one. */
	@Override
	public boolean canFollow(@Nullable ResultKey held) {
		return held != null && this.resultKey.name().equals(held.name());
	}

}
