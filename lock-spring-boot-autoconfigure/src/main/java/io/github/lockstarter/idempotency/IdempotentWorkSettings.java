package io.github.lockstarter.idempotency;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.result.Caller;
import io.github.lockstarter.result.ResultSharing;
import io.github.lockstarter.result.SharedCall;

/**
 * The settings of idempotent work.
 *
 * @param key the key of the lock
 * @param sharing the sharing of the results of each call
 * @param options the options of the lock; {@code null} for those that are configured
 */
record IdempotentWorkSettings(LockKey key, SharedCall sharing, @Nullable LockOptions options) {

	IdempotentWorkSettings(LockKey key, ResultSharing results) {
		this(key, new SharedCall(results, Caller.ANY), null);
	}

	/** Returns these settings for calls with the same content only. */
	IdempotentWorkSettings withFingerprint(String fingerprint) {
		return new IdempotentWorkSettings(this.key, new SharedCall(this.sharing.results(), new Caller("", fingerprint)),
				this.options);
	}

	IdempotentWorkSettings keptFor(Duration time) {
		return new IdempotentWorkSettings(this.key,
				new SharedCall(this.sharing.results().keptFor(time), this.sharing.caller()), this.options);
	}

	IdempotentWorkSettings withOptions(LockOptions options) {
		Assert.isTrue(options.holdAtLeast().isZero(),
				"A minimum hold time has no effect on idempotent work, whose repetitions do not run");
		return new IdempotentWorkSettings(this.key, this.sharing, options);
	}

	/**
	 * Returns the options of the lock.
	 * @param registry has those that are configured
	 * @throws LockConfigurationException if those have no effect on idempotent work
	 */
	LockOptions options(LockRegistry registry) {
		LockOptions given = this.options;
		if (given != null) {
			return given;
		}
		LockOptions configured = registry.options(this.key.name());
		if (!configured.holdAtLeast().isZero()) {
			throw new LockConfigurationException(
					"Lock '%s' has a minimum hold time, which has no effect on idempotent work, whose repetitions do not run."
						.formatted(this.key.name()),
					"Remove lock.names.%s.hold-at-least, or use another lock.".formatted(this.key.name()));
		}
		return configured;
	}

}
