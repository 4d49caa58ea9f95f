package io.github.lockstarter.registry.acquisition;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredResult;

/**
 * An acquisition for a lease, or for a result of a holder for which the caller has
 * waited.
 */
public final class ResultAcquisition extends Acquisition {

	private final ResultKey resultKey;

	/** The lowest fencing token of the store whose result is accepted. */
	private volatile long since;

	/**
	 * Creates an acquisition.
	 * @param accepted the results that the caller accepts when it arrives; the result
	 * that it stores has the same key
	 */
	public ResultAcquisition(LockKey key, LockOptions options, Delivery delivery, RegistryContext context,
			ResultQuery accepted) {
		super(key, options, delivery, context);
		this.resultKey = accepted.key();
		this.since = accepted.since();
	}

	/** A caller that has just arrived cannot have missed a result. */
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

	/**
	 * The first holder that the caller waits for is the first whose result is accepted.
	 */
	@Override
	public void noteHolder(long storeToken) {
		if (this.since == ResultQuery.NO_TOKEN && storeToken > 0) {
			this.since = storeToken;
		}
	}

	/** A holder with another result key provides no information about this one. */
	@Override
	public boolean canFollow(@Nullable ResultKey held) {
		return held != null && this.resultKey.name().equals(held.name());
	}

}
