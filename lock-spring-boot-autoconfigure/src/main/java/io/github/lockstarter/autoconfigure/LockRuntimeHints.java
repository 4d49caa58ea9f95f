package io.github.lockstarter.autoconfigure;

import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.util.ClassUtils;

import io.github.lockstarter.completion.CompletionAdapterRegistry;
import io.github.lockstarter.key.LockInvocation;
import io.github.lockstarter.result.ResultHead;

/**
 * Hints for expression roots, optional classes, stored results and messages, and for
 * properties that are bound without a bean: {@link DataRedisProperties}, and those of
 * stores that are not used, whose names {@link UnknownPropertyWarning} asks for.
 */
class LockRuntimeHints implements RuntimeHintsRegistrar {

	private static final String REDIS = "org.springframework.boot.data.redis.autoconfigure.DataRedisProperties";

	private static final String REACTOR_NETTY = "reactor.netty.Connection";

	private static final String NETTY_TIMEOUT = "io.netty.handler.timeout.TimeoutException";

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection().registerType(LockInvocation.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		Stream.concat(CompletionAdapterRegistry.optionalTypes(), Stream.of(REACTOR_NETTY, NETTY_TIMEOUT))
			.forEach((name) -> hints.reflection().registerTypeIfPresent(classLoader, name));
		new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), ResultHead.class);
		hints.resources().registerPattern("io/github/lockstarter/messages*.properties");
		hints.resources().registerPattern("io/github/lockstarter/store/jdbc/schema-*.sql");
		BindableRuntimeHintsRegistrar.forTypes(
				Stream.of(LockProperties.Store.values()).map(LockProperties.Store::properties).toArray(Class[]::new))
			.registerHints(hints);
		if (ClassUtils.isPresent(REDIS, classLoader)) {
			Redis.registerHints(hints);
		}
	}

	/** Used only if Redis may be the store. */
	private static final class Redis {

		static void registerHints(RuntimeHints hints) {
			BindableRuntimeHintsRegistrar.forTypes(DataRedisProperties.class).registerHints(hints);
		}

	}

}
