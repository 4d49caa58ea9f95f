package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.http.HttpStatusCode;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;
import org.springframework.util.unit.DataSize;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.completion.ReleaseOn;
import io.github.lockstarter.interceptor.ExclusiveRequestAdvisor;
import io.github.lockstarter.key.LockKeys;
import io.github.lockstarter.operation.LockSettings;
import io.github.lockstarter.operation.OnStoreFailure;
import io.github.lockstarter.operation.OperationSettings;
import io.github.lockstarter.operation.AnonymousReplay;
import io.github.lockstarter.operation.ReplaySettings;
import io.github.lockstarter.key.Fingerprint;
import io.github.lockstarter.result.KeptResponses;
import io.github.lockstarter.result.SharingSettings;
import io.github.lockstarter.web.LockProblems;

/**
 * Properties under {@code lock}, without those of the stores, which are next to their
 * configurations. {@link UnknownPropertyWarning} reports a misspelt one, which would
 * leave a lock other than the operator believes.
 *
 * @param enabled Whether annotated methods acquire their locks. If false, every call
 * runs, and no response is shared or replayed.
 * @param store Store that keeps the locks, except for those whose name chooses another
 * one with lock.names.*.store. No other store takes its place when it fails.
 * Ahead-of-time processing fixes the value: a different one is then an error at startup.
 * @param ttl Time to live of a lock, which is how long it outlives an instance that died
 * while it held the lock. An instance that is alive renews its locks at a third of this
 * time.
 * @param waitTime How long a call waits for a lock that is held before it is rejected.
 * @param renew Whether locks are renewed while they are held. If false, a lock ends after
 * its ttl, even if the work under it has not ended.
 * @param maxHold Longest time that a lock is held, renewals included, so that a call that
 * hangs releases its lock. Default is 5m, or the ttl if that is longer.
 * @param maxWaiters Number of calls that may wait for one lock in each instance. Further
 * calls are rejected at once.
 * @param maxKeys Number of locks that one call may need by the 'keys' attribute. A
 * request that needs more gets status 400.
 * @param onStoreFailure What happens to a call of an annotated method when the store
 * fails.
 * @param order Position of the lock among the advisors of a method. Advisors with a lower
 * number are called before the lock is acquired. Default is just outside transactions and
 * caches.
 * @param names Settings of single locks, by name. They take precedence over the
 * annotation.
 * @param web How locks and HTTP work together.
 * @param share How responses are shared.
 * @param replay How responses are replayed to later duplicates.
 */
@ConfigurationProperties("lock")
record LockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redis") Store store,
		@DefaultValue("10s") Duration ttl, @Name("wait") @DefaultValue("0s") Duration waitTime,
		@DefaultValue("true") boolean renew, @Nullable Duration maxHold, @DefaultValue("64") int maxWaiters,
		@DefaultValue("100") int maxKeys, @DefaultValue("reject") OnStoreFailure onStoreFailure,
		@Nullable Integer order, @DefaultValue Map<String, Named> names, @DefaultValue Web web,
		@DefaultValue Share share, @DefaultValue Replay replay) {

	/** The property of the default store. */
	static final String DEFAULT_STORE = "lock.store";

	private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(1);

	private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(10);

	/**
	 * The longest time to live: an annotation may set a longer one than {@code lock.ttl}.
	 */
	private static final Duration LONGEST_TTL = Duration.ofDays(365);

	private static final Duration SHORT_TTL = Duration.ofSeconds(1);

	private static final LockOptions VALID = LockOptions.of(Duration.ofSeconds(1));

	LockProperties {
		check("lock.ttl", ttl, LockOptions::of);
		check("lock.wait", waitTime, VALID::withWaitTime);
		check("lock.max-hold", maxHold, LockOptions.of(ttl)::withMaxHold);
		check("lock.max-waiters", maxWaiters, LockProperties::checkWaiters);
		check("lock.max-keys", maxKeys, LockKeys::checkLimit);
		check("lock.web.conflict-status", web.conflictStatus(), LockSettings::checkConflictStatus);
		check("lock.web.max-waiting-threads", web.maxWaitingThreads(), Web::checkWaitingThreads);
		check("lock.web.problem-base-uri", web.problemBaseUri(), LockProblems::checkBaseUri);
		names.forEach((name, named) -> {
			check("lock.names." + name + ".ttl", named.ttl(), LockOptions::of);
			check("lock.names." + name + ".wait", named.waitTime(), VALID::withWaitTime);
			check("lock.names." + name + ".conflict-status", named.conflictStatus(), LockSettings::checkConflictStatus);
			Duration own = (named.ttl() != null) ? named.ttl() : ttl;
			check("lock.names." + name + ".max-hold", named.maxHold(), LockOptions.of(own)::withMaxHold);
			check("lock.names." + name + ".hold-at-least", named.holdAtLeast(),
					LockOptions.of((named.ttl() != null) ? named.ttl() : LONGEST_TTL)::withHoldAtLeast);
			if (named.maxHold() == null && maxHold != null) {
				check("lock.names." + name + ".ttl", named.ttl(), (each) -> LockOptions.of(each).withMaxHold(maxHold));
			}
		});
		check("lock.share.ttl", share.ttl(), SharingSettings::checkTime);
		check("lock.share.max-size", share.maxSize(), SharingSettings::checkSize);
		check("lock.replay.keep", replay.keep(), KeptResponses::parse);
		check("lock.replay.max-key-length", replay.maxKeyLength(), ReplaySettings::checkKeyLength);
		checkSecret("lock.replay.fingerprint-key", replay.fingerprintKey(), Fingerprint::checkKey);
		check("lock.replay.max-request-size", replay.maxRequestSize(), Replay::checkRequestSize);
	}

	/** Returns the times to live of less than a second, by their properties. */
	Map<String, Duration> shortTtls() {
		Map<String, Duration> ttls = new LinkedHashMap<>();
		ttls.put("lock.ttl", this.ttl);
		this.names.forEach((name, named) -> {
			if (named.ttl() != null) {
				ttls.put("lock.names." + name + ".ttl", named.ttl());
			}
		});
		ttls.values().removeIf((each) -> each.compareTo(SHORT_TTL) >= 0);
		return ttls;
	}

	/** Returns the default settings of all locks. */
	LockSettings settings() {
		return new LockSettings(this.ttl, this.waitTime, this.renew, this.maxHold, null, this.web.conflictStatus(),
				this.enabled, this.onStoreFailure);
	}

	/** Returns the settings for locks with that name, if any. */
	LockSettings settings(String name) {
		Named named = this.names.get(name);
		if (named != null) {
			return settings(named);
		}
		LockSettings settings = LockSettings.NONE;
		for (Map.Entry<String, Named> other : this.names.entrySet()) {
			if (EnvironmentVariableName.is(other.getKey()) && EnvironmentVariableName.fits(other.getKey(), name)) {
				settings = settings.or(settings(other.getValue()));
			}
		}
		return settings;
	}

	private LockSettings settings(Named named) {
		return new LockSettings(named.ttl(), named.waitTime(), named.renew(), named.maxHold(), named.holdAtLeast(),
				named.conflictStatus(), this.enabled ? named.enabled() : Boolean.FALSE, named.onStoreFailure());
	}

	/**
	 * Returns the store that locks choose by their names; {@code null} if none. Unlike
	 * other settings, a variable applies in addition to properties with the exact name,
	 * as long as these choose no store: a lock must not be in another store than the
	 * operator has set.
	 */
	Function<String, @Nullable Store> chosenStores() {
		Map<String, Store> exact = new HashMap<>();
		Map<String, Store> variables = new LinkedHashMap<>();
		this.names.forEach((name, named) -> {
			if (named.store() != null) {
				(EnvironmentVariableName.is(name) ? variables : exact).put(name, named.store());
			}
		});
		return (lockName) -> {
			Store store = exact.get(lockName);
			if (store == null && !variables.isEmpty()) {
				for (Map.Entry<String, Store> each : variables.entrySet()) {
					if (EnvironmentVariableName.fits(each.getKey(), lockName)) {
						return each.getValue();
					}
				}
			}
			return store;
		};
	}

	/**
	 * Returns the stores that the names of locks choose, each with the first property.
	 */
	Map<Store, String> namedStores() {
		Map<Store, String> properties = new LinkedHashMap<>();
		this.names.forEach((name, named) -> {
			if (named.store() != null) {
				properties.putIfAbsent(named.store(),
						EnvironmentVariableName.is(name) ? name + "_STORE" : "lock.names." + name + ".store");
			}
		});
		return properties;
	}

	/** Returns the property that chooses a store by the name of a lock. */
	String propertyOf(Store store) {
		return namedStores().getOrDefault(store, DEFAULT_STORE);
	}

	/** Returns the same properties with other settings of single locks. */
	LockProperties withNames(Map<String, Named> names) {
		return new LockProperties(this.enabled, this.store, this.ttl, this.waitTime, this.renew, this.maxHold,
				this.maxWaiters, this.maxKeys, this.onStoreFailure, this.order, names, this.web, this.share,
				this.replay);
	}

	/** Returns the settings for annotated methods. */
	OperationSettings ofOperations() {
		return new OperationSettings(this::settings, settings(), this.replay.settings(), this.maxKeys);
	}

	/** Returns the options with which code acquires locks with that name by default. */
	LockOptions options(String name) {
		return settings(name).or(settings()).options();
	}

	/** Returns the status of conflicts of locks with that name at the registry. */
	HttpStatusCode conflictStatusCode(String name) {
		return settings(name).or(settings()).conflictStatusCode();
	}

	/** Returns the order of the lock among advisors. */
	int advisorOrder() {
		return (this.order != null) ? this.order : ExclusiveRequestAdvisor.DEFAULT_ORDER;
	}

	/**
	 * Checks that the store is the configured one. It can differ after ahead-of-time
	 * processing, which selects the store when the application is built.
	 * @throws LockConfigurationException if it differs
	 */
	void require(Store built) {
		if (this.store != built) {
			throw new LockConfigurationException(
					"lock.store is %s, but was %s when the application was processed ahead of time."
						.formatted(this.store, built),
					"Set lock.store for the build as well, or start without -Dspring.aot.enabled=true.");
		}
	}

	/**
	 * Checks that a store supports the times to live of its locks.
	 * @param isDefault whether it is the default store
	 * @throws InvalidConfigurationPropertyValueException if it does not
	 */
	void requireTtlOfAtMost(Duration longest, String why, Store store, boolean isDefault) {
		Consumer<Duration> atMost = (ttl) -> Assert.isTrue(ttl.compareTo(longest) <= 0, why);
		if (isDefault) {
			check("lock.ttl", this.ttl, atMost);
		}
		this.names.forEach((name, named) -> {
			if ((named.store() != null) ? named.store() == store : isDefault) {
				boolean own = named.ttl() != null;
				check(own ? "lock.names." + name + ".ttl" : "lock.ttl", own ? named.ttl() : this.ttl, atMost);
			}
		});
	}

	private static void checkWaiters(int waiters) {
		Assert.isTrue(waiters >= 1, "It must be at least 1");
	}

	static void checkTimeout(Duration timeout) {
		Assert.isTrue(timeout.compareTo(SHORTEST_TIMEOUT) >= 0 && timeout.compareTo(LONGEST_TIMEOUT) <= 0,
				"A timeout must be at least 1ms and at most 10m");
	}

	/** Checks a value with its type, and adds the name of the property to a failure. */
	static <T> void check(String property, @Nullable T value, Consumer<T> use) {
		if (value == null) {
			return;
		}
		try {
			use.accept(value);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidConfigurationPropertyValueException(property, value, ex.getMessage());
		}
	}

	/** The message does not show the value. */
	private static void checkSecret(String property, @Nullable String value, Consumer<@Nullable String> use) {
		try {
			use.accept(value);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidConfigurationPropertyValueException(property, "******", ex.getMessage());
		}
	}

	/** Where locks can be kept. */
	enum Store {

		/** Redis, shared by all instances. */
		REDIS("Redis", RedisProperties.class, "io.github.lockstarter:lock-spring-boot-starter"),

		/** A SQL database, shared by all instances. */
		JDBC("Jdbc", JdbcProperties.class, "io.github.lockstarter:lock-spring-boot-starter-jdbc"),

		/** The memory of this instance. */
		MEMORY("Memory", MemoryProperties.class, ""),

		/** Memcached, shared by all instances. */
		MEMCACHED("Memcached", MemcachedProperties.class, "io.github.lockstarter:lock-spring-boot-starter-memcached"),

		/** DynamoDB, shared by all instances. */
		DYNAMODB("DynamoDb", DynamoDbProperties.class, "io.github.lockstarter:lock-spring-boot-starter-dynamodb");

		private final String label;

		private final Class<?> properties;

		private final String dependency;

		Store(String label, Class<?> properties, String dependency) {
			this.label = label;
			this.properties = properties;
			this.dependency = dependency;
		}

		/** Returns the name of the bean, if it is the default store. */
		String defaultBean() {
			return "exclusiveRequest" + this.label + "LockStore";
		}

		/** Returns the name of the bean, if only names of locks choose the store. */
		String namedBean() {
			return "exclusiveRequestNamed" + this.label + "LockStore";
		}

		/** Returns whether the store is on the class path, with or without its driver. */
		boolean isPresent(@Nullable ClassLoader classLoader) {
			return ClassUtils.isPresent("io.github.lockstarter.store.%s.%sLockStore".formatted(this, this.label),
					classLoader);
		}

		/** Returns the type of the properties that only this store has. */
		Class<?> properties() {
			return this.properties;
		}

		/** Binds the properties that only this store has. */
		Object bind(Binder binder, BindHandler handler) {
			String prefix = MergedAnnotations.from(this.properties)
				.get(ConfigurationProperties.class)
				.getString("prefix");
			return binder.bindOrCreate(prefix, Bindable.of(this.properties), handler);
		}

		/** Returns the dependency that an application needs for the store. */
		String dependency() {
			return this.dependency;
		}

		/** Returns the name as written in the configuration. */
		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	/**
	 * Settings of one lock.
	 *
	 * @param ttl How long the lock outlives an instance that died while it held it.
	 * @param waitTime How long a call waits for the lock.
	 * @param renew Whether the lock is renewed while it is held.
	 * @param maxHold Longest time that the lock is held, renewals included.
	 * @param holdAtLeast Shortest time that the lock is held, counted from its grant,
	 * even if the method ends earlier. At most the ttl.
	 * @param conflictStatus HTTP status of a rejection: 409, 422, 423 or 429.
	 * @param enabled Whether annotated methods acquire the lock.
	 * @param onStoreFailure What happens to a call of an annotated method when the store
	 * fails.
	 * @param store Store that keeps the lock. Default is that of lock.store, which may be
	 * a bean of the application. Each store has its own connections, health and failures.
	 * Ahead-of-time processing fixes which stores can be used.
	 */
	record Named(@Nullable Duration ttl, @Name("wait") @Nullable Duration waitTime, @Nullable Boolean renew,
			@Nullable Duration maxHold, @Nullable Duration holdAtLeast, @Nullable Integer conflictStatus,
			@Nullable Boolean enabled, @Nullable OnStoreFailure onStoreFailure, @Nullable Store store) {
	}

	/**
	 * How locks and HTTP work together.
	 *
	 * @param conflictStatus HTTP status of a rejection.
	 * @param releaseOn When the lock of a handler method is released.
	 * @param waiting How a Spring MVC handler that returns a plain value waits.
	 * @param maxWaitingThreads Number of request threads of a servlet container that may
	 * wait for locks at the same time. Further requests that find their lock held are
	 * rejected at once. Default is half of the threads of the container, or no limit with
	 * virtual threads.
	 * @param preparedRejections Whether a rejection is sent from bytes that an earlier,
	 * equal rejection left, which takes less processor time under contention. Applies
	 * only where no component of the application would notice.
	 * @param problemBaseUri Start of the problem types in responses, where your
	 * description of them is. The name of the problem follows.
	 */
	record Web(@DefaultValue("409") int conflictStatus, @DefaultValue("method") ReleaseOn releaseOn,
			@DefaultValue("thread") WaitMode waiting, @Nullable Integer maxWaitingThreads,
			@DefaultValue("true") boolean preparedRejections,
			@DefaultValue(LockException.PROBLEM_BASE_URI) String problemBaseUri) {

		/** Half of the threads that Tomcat and Jetty have by default. */
		private static final int DEFAULT_WAITING_THREADS = 100;

		static void checkWaitingThreads(int threads) {
			Assert.isTrue(threads >= 1, "At least 1 thread must be allowed to wait");
		}

		/**
		 * Returns the number of threads that may wait.
		 * @param container the threads of the container; empty if their number is unknown
		 */
		int waitingThreads(OptionalInt container) {
			return (this.maxWaitingThreads != null) ? this.maxWaitingThreads
					: container.isPresent() ? Math.max(container.getAsInt() / 2, 1) : DEFAULT_WAITING_THREADS;
		}

		boolean suspendsRequests() {
			return this.waiting == WaitMode.SUSPENDED;
		}

		/** What a waiting request does with its thread. */
		enum WaitMode {

			/** It waits on the thread. */
			THREAD,

			/** It frees the thread, and continues in an asynchronous dispatch. */
			SUSPENDED

		}

	}

	/**
	 * How responses are shared.
	 *
	 * @param ttl How long a shared response is kept in the store for callers that wait
	 * for it in other instances. A response to replay is kept for as long as the
	 * annotation says.
	 * @param maxSize Largest size, as it is stored, of a response that is shared or
	 * replayed; a body that is no text takes a third more. A larger response is returned
	 * only to the request that made it.
	 */
	record Share(@DefaultValue("5s") Duration ttl, @DefaultValue("64KB") DataSize maxSize) {
	}

	/**
	 * How responses are replayed to later duplicates.
	 *
	 * @param keep Which responses are kept for later duplicates where the annotation does
	 * not say: 'values', which are returned with a status of 2xx or a redirect; statuses,
	 * separated by commas; or 'all', failures included.
	 * @param maxKeyLength Largest number of characters of an Idempotency-Key. A request
	 * with a longer one gets status 400.
	 * @param fingerprintKey Secret of at least 16 characters for the fingerprints of
	 * requests that are stored with responses, so that nobody who reads the store can
	 * find out by trying what a client has sent. After a change, a retry of an older
	 * request gets status 422.
	 * @param anonymous What happens to a request without a principal. If it carries
	 * credentials, 'allow' replays its response only to requests with the same
	 * credentials. 'reject' rejects it with status 400.
	 * @param maxRequestSize Largest body of a request that is compared with that of
	 * another one, and kept in memory for that. A larger one gets status 413. In Spring
	 * MVC, it does not apply to multipart bodies.
	 */
	record Replay(@DefaultValue("values") String keep, @DefaultValue("255") int maxKeyLength,
			@Nullable String fingerprintKey, @DefaultValue("allow") AnonymousReplay anonymous,
			@DefaultValue("10MB") DataSize maxRequestSize) {

		/** Without the secret. */
		@Override
		public String toString() {
			return "Replay[keep=%s, maxKeyLength=%s, anonymous=%s, maxRequestSize=%s]".formatted(this.keep,
					this.maxKeyLength, this.anonymous, this.maxRequestSize);
		}

		/** A body in memory is an array. */
		static void checkRequestSize(DataSize size) {
			Assert.isTrue(size.toBytes() > 0 && size.toGigabytes() < 1, "It must be positive, and less than 1GB");
		}

		ReplaySettings settings() {
			return new ReplaySettings(KeptResponses.parse(this.keep), this.maxKeyLength,
					new Fingerprint(this.fingerprintKey), this.anonymous);
		}

	}

}
