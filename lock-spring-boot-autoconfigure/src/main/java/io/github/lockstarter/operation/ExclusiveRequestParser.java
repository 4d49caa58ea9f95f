package io.github.lockstarter.operation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.Assert;
import org.springframework.util.StringUtils;
import org.springframework.util.function.SingletonSupplier;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.key.ArgumentFingerprint;
import io.github.lockstarter.key.FingerprintParts;
import io.github.lockstarter.key.RequestFingerprint;
import io.github.lockstarter.key.LockKeys;
import io.github.lockstarter.key.MethodExpression;
import io.github.lockstarter.result.KeptResponses;
import io.github.lockstarter.result.ReplayRetention;
import io.github.lockstarter.result.ResultSharing;

/**
 * Creates the operations of a method from its annotations and the settings of the
 * operator.
 */
final class ExclusiveRequestParser {

	private final OperationEnvironment environment;

	private final SingletonSupplier<OperationSettings> settings;

	ExclusiveRequestParser(OperationEnvironment environment) {
		this.environment = environment;
		this.settings = SingletonSupplier.of(environment::settings);
	}

	/**
	 * Returns an annotated method of a class.
	 * @throws LockConfigurationException if an annotation is not valid
	 */
	LockedMethod parse(List<ExclusiveRequest> annotations, Method method, Class<?> type) {
		LockedMethod locked = LockedMethod.of(method, type);
		LockOperationValidator.check(locked);
		return locked.with(
				annotations.stream().map((annotation) -> operation(annotation, locked, annotations)).toList(),
				this.settings.obtain().replay().maxKeyLength());
	}

	private LockOperation operation(ExclusiveRequest annotation, LockedMethod locked, List<ExclusiveRequest> all) {
		Method method = locked.method();
		try {
			String given = resolve(annotation.name());
			String name = new LockKey((given != null) ? given : defaultName(method, locked.type()), "").name();
			LockSettings own = new LockSettings(duration("ttl", annotation.ttl()),
					duration("waitTime", annotation.waitTime()), null, null,
					duration("holdAtLeast", annotation.holdAtLeast()),
					(annotation.status() != 0) ? annotation.status() : null, null, null);
			LockSettings said = this.settings.obtain().named().apply(name).or(own);
			LockSettings settings = said.or(this.settings.obtain().defaults());
			LockOptions options = settings.options();
			if (said.waitTime() == null) {
				options = options.withWaitTime(waitTime(annotation.onConflict(), options));
			}
			Sharing sharing = settings.isEnabled() ? sharing(annotation, name, locked, all) : null;
			Assert.isTrue(sharing == null || options.holdAtLeast().isZero(),
					"holdAtLeast has no effect with SHARE or replay, which already prevent later callers from running");
			boolean replays = sharing != null && sharing.results().replays();
			Assert.isTrue(!replays || settings.storeFailure() == OnStoreFailure.REJECT,
					"A method that replays results must not run without the lock: set lock.names.%s.on-store-failure=reject"
						.formatted(name));
			if (annotation.onConflict() == OnConflict.SKIP) {
				LockOperationValidator.checkSkipped(locked);
			}
			return new LockOperation(name, settings.isEnabled(), keys(annotation, name, method),
					expression("condition", annotation.condition(), method), options, annotation.onConflict(),
					settings.conflictStatusCode(), settings.storeFailure(), sharing);
		}
		catch (IllegalArgumentException ex) {
			throw new LockConfigurationException(
					"@ExclusiveRequest on %s: %s.".formatted(method.toGenericString(), ex.getMessage()),
					"Correct the annotation, or the properties lock.* and lock.names.* for the lock.");
		}
	}

	/**
	 * Returns the wait time, with the default of the conflict policy if none is
	 * configured. It is zero for a call that may be skipped, which must not run after the
	 * other call.
	 */
	private static Duration waitTime(OnConflict onConflict, LockOptions options) {
		return switch (onConflict) {
			case REJECT -> options.waitTime();
			case SKIP -> Duration.ZERO;
			case WAIT, SHARE ->
				options.waitTime().isZero() ? LockSettings.defaultWait(options.ttl()) : options.waitTime();
		};
	}

	private LockKeys keys(ExclusiveRequest annotation, String name, Method method) {
		String resolver = resolve(annotation.keyResolver());
		long given = Stream.of(annotation.key(), annotation.keys(), annotation.keyResolver())
			.filter(StringUtils::hasLength)
			.count();
		Assert.isTrue(given <= 1, "Only one of key, keys and keyResolver can be set");
		if (resolver != null) {
			return LockKeys.of(name, SingletonSupplier.of(this.environment.keyResolver(resolver)));
		}
		MethodExpression each = expression("keys", annotation.keys(), method);
		if (each != null) {
			LockKeys.checkElements(each.declaredType(method));
			return LockKeys.ofEach(name, each, this.settings.obtain().maxKeys());
		}
		MethodExpression key = expression("key", annotation.key(), method);
		return (key != null) ? LockKeys.of(name, key) : LockKeys.ofMethod(name);
	}

	private @Nullable Sharing sharing(ExclusiveRequest annotation, String name, LockedMethod locked,
			List<ExclusiveRequest> all) {
		ReplayRetention replay = replay(annotation, locked);
		if (replay == null && annotation.onConflict() != OnConflict.SHARE) {
			return null;
		}
		Assert.isTrue(all.size() == 1, "A method whose results are shared or replayed can have only one lock");
		Assert.isTrue(!StringUtils.hasLength(annotation.keys()),
				"keys mean several locks, but a method whose results are shared or replayed can have only one lock");
		Assert.isTrue(
				replay == null || StringUtils.hasLength(annotation.key())
						|| StringUtils.hasLength(annotation.keyResolver()),
				"A replay needs a key or a keyResolver, as in key = \"header('Idempotency-Key')\"");
		ResultSharing results = this.environment.sharing().of(name, locked.method(), ResultTypes.of(locked), replay);
		FingerprintParts parts = fingerprint(annotation, replay != null && locked.isMapped());
		return new Sharing(results, (replay != null) ? scope(name, locked, parts) : null);
	}

	/** A handler may have arguments that cannot be compared, but its requests can be. */
	private ReplayScope scope(String name, LockedMethod locked, FingerprintParts parts) {
		if (locked.isMapped()) {
			return new ReplayScope(name, () -> this.settings.obtain().replay(), new RequestFingerprint(parts),
					SingletonSupplier.of(() -> new ArgumentFingerprint(locked.method(), locked.type())));
		}
		ArgumentFingerprint arguments = new ArgumentFingerprint(locked.method(), locked.type());
		return new ReplayScope(name, () -> this.settings.obtain().replay(), null, () -> arguments);
	}

	private FingerprintParts fingerprint(ExclusiveRequest annotation, boolean replaysResponses) {
		List<String> parts = Stream.of(annotation.fingerprint()).map(this.environment::resolvePlaceholders).toList();
		Assert.isTrue(parts.isEmpty() || replaysResponses,
				"fingerprint has an effect only with replay, and on a method that is mapped to requests");
		return FingerprintParts.parse(parts);
	}

	/**
	 * Returns the replay. Only a request has a response, so methods other than handlers
	 * keep their values.
	 */
	private @Nullable ReplayRetention replay(ExclusiveRequest annotation, LockedMethod locked) {
		Duration time = duration("replay", annotation.replay());
		String keep = resolve(annotation.keep());
		Assert.isTrue(time != null || keep == null, "keep has an effect only with replay, as in replay = \"24h\"");
		if (time == null) {
			return null;
		}
		KeptResponses own = (keep != null) ? KeptResponses.parse(keep) : null;
		Assert.isTrue(own == null || own.values() || locked.ofController(),
				() -> "keep = \"%s\" selects responses to requests, but the class is not a controller".formatted(keep));
		KeptResponses standard = locked.ofController() ? this.settings.obtain().replay().keep() : KeptResponses.VALUES;
		return new ReplayRetention(time, (own != null) ? own : standard);
	}

	private @Nullable Duration duration(String attribute, String text) {
		String resolved = resolve(text);
		if (resolved == null) {
			return null;
		}
		// Without a unit, the parser would assume milliseconds.
		Assert.isTrue(!resolved.matches("[+-]?0*[1-9]\\d*"),
				() -> "%s '%s' has no unit: write %ss or %sms".formatted(attribute, resolved, resolved, resolved));
		try {
			return DurationStyle.detectAndParse(resolved);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"%s '%s' is not a valid duration, such as 500ms or 5s".formatted(attribute, resolved), ex);
		}
	}

	private @Nullable MethodExpression expression(String attribute, String text, Method method) {
		return StringUtils.hasLength(text) ? MethodExpression.parse(text, attribute, method) : null;
	}

	private @Nullable String resolve(String text) {
		return StringUtils.hasText(text) ? this.environment.resolvePlaceholders(text) : null;
	}

	private static String defaultName(Method method, Class<?> type) {
		return Arrays.stream(method.getParameterTypes())
			.map(Class::getTypeName)
			.collect(Collectors.joining(",", type.getName() + "." + method.getName() + "(", ")"));
	}

}
