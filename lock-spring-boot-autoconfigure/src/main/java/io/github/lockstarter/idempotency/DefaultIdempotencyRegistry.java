package io.github.lockstarter.idempotency;

import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.NonNull;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.ResolvableType;
import org.springframework.util.StringUtils;
import org.springframework.util.function.SingletonSupplier;

import io.github.lockstarter.IdempotencyRegistry;
import io.github.lockstarter.IdempotentWork;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.interceptor.CallerTasks;
import io.github.lockstarter.key.Fingerprint;
import io.github.lockstarter.result.ResultSharing;
import io.github.lockstarter.result.SharingSettings;

/**
 * The default {@link IdempotencyRegistry}: keeps results as replays of annotated methods
 * do.
 */
public final class DefaultIdempotencyRegistry implements IdempotencyRegistry {

	private static final Duration KEEP = Duration.ofHours(24);

	private final Supplier<LockRegistry> registry;

	private final SharingSettings sharing;

	private final Fingerprint fingerprint;

	private final CallerTasks tasks;

	/** As many as the code of the application has names and types. */
	private final Map<Results, ResultSharing> results = new ConcurrentHashMap<>();

	/**
	 * Creates a registry.
	 * @param registry returns the registry that grants the locks; not called before work
	 * needs one
	 * @param sharing the settings for the results
	 * @param fingerprint makes the digests of compared content
	 * @param tasks runs work whose caller has left
	 */
	public DefaultIdempotencyRegistry(Supplier<LockRegistry> registry, SharingSettings sharing, Fingerprint fingerprint,
			CallerTasks tasks) {
		this.registry = SingletonSupplier.of(registry);
		this.sharing = sharing;
		this.fingerprint = fingerprint;
		this.tasks = tasks;
	}

	@Override
	public <T extends @Nullable Object> IdempotentWork<T> work(LockKey key, Class<@NonNull T> resultType) {
		return work(key, (Type) resultType);
	}

	@Override
	public <T extends @Nullable Object> IdempotentWork<T> work(LockKey key,
			ParameterizedTypeReference<@NonNull T> resultType) {
		return work(key, resultType.getType());
	}

	private <T extends @Nullable Object> IdempotentWork<T> work(LockKey key, Type resultType) {
		if (!StringUtils.hasText(key.key())) {
			throw new MissingLockKeyException(key.name());
		}
		Results wanted = new Results(key.name(), resultType);
		ResultSharing known = this.results.get(wanted);
		if (known == null) {
			known = results(wanted);
			this.results.put(wanted, known);
		}
		return new DefaultIdempotentWork<>(this, new IdempotentWorkSettings(key, known), null);
	}

	private ResultSharing results(Results wanted) {
		ResultSharing results = this.sharing.inCode(wanted.lockName(), ResolvableType.forType(wanted.type()), KEEP);
		results.check();
		ResultSharing.prepare(locks(), wanted.lockName());
		return results;
	}

	LockRegistry locks() {
		return this.registry.get();
	}

	Fingerprint fingerprint() {
		return this.fingerprint;
	}

	CallerTasks tasks() {
		return this.tasks;
	}

	/** What the results of work have in common. */
	private record Results(String lockName, Type type) {
	}

}
