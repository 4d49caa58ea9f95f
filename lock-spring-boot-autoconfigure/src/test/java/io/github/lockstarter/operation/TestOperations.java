package io.github.lockstarter.operation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.springframework.util.unit.DataSize;

import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.key.Fingerprint;
import io.github.lockstarter.key.LockKeyResolver;
import io.github.lockstarter.result.KeptResponses;
import io.github.lockstarter.result.SharingSettings;
import io.github.lockstarter.result.TestSharingContext;

/**
 * Annotated methods with the defaults of the auto-configuration, without an application.
 */
public final class TestOperations {

	/** The time to live of all locks. */
	public static final Duration TTL = Duration.ofSeconds(10);

	private static final LockSettings DEFAULTS = new LockSettings(TTL, null, null, null, null, null, null, null);

	private TestOperations() {
	}

	/** Returns the operations of annotated methods. */
	public static LockOperationSource source() {
		return source((name) -> LockSettings.NONE);
	}

	/**
	 * Returns the operations of annotated methods.
	 * @param operator the settings by the name of the lock
	 */
	public static LockOperationSource source(Function<String, LockSettings> operator) {
		return source(operator, DEFAULTS, KeptResponses.VALUES, UnaryOperator.identity());
	}

	/**
	 * Returns the operations of annotated methods.
	 * @param operator the settings by the name of the lock
	 * @param defaults the settings of all locks
	 * @param keep the responses that replays keep
	 * @param placeholders resolves placeholders
	 */
	public static LockOperationSource source(Function<String, LockSettings> operator, LockSettings defaults,
			KeptResponses keep, UnaryOperator<String> placeholders) {
		ReplaySettings replay = new ReplaySettings(keep, 255, new Fingerprint(null), AnonymousReplay.ALLOW);
		LockEventCounter counts = new LockEventCounter();
		SharingSettings sharing = new SharingSettings(Duration.ofSeconds(5), DataSize.ofKilobytes(64),
				new TestSharingContext(counts));
		return new LockOperationSource(new OperationEnvironment() {

			@Override
			public OperationSettings settings() {
				return new OperationSettings(operator, defaults, replay, 64);
			}

			@Override
			public SharingSettings sharing() {
				return sharing;
			}

			@Override
			public Supplier<LockKeyResolver> keyResolver(String name) {
				throw new IllegalArgumentException("There is no bean '%s'".formatted(name));
			}

			@Override
			public String resolvePlaceholders(String text) {
				return placeholders.apply(text);
			}

		});
	}

	/** Returns the only method of the class with the name. */
	public static Method method(Class<?> type, String name) {
		return Arrays.stream(type.getDeclaredMethods())
			.filter((method) -> method.getName().equals(name) && !method.isBridge())
			.findFirst()
			.orElseThrow();
	}

	/** Returns the only annotated method of the class with the name. */
	public static LockedMethod find(LockOperationSource source, Class<?> type, String name) {
		return source.of(type)
			.values()
			.stream()
			.filter((method) -> method.method().getName().equals(name))
			.findFirst()
			.orElseThrow();
	}

}
