package io.github.lockstarter.test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Lazy;
import org.springframework.util.Assert;

import io.github.lockstarter.autoconfigure.LockAutoConfiguration;
import io.github.lockstarter.registry.DefaultLockRegistry;

/**
 * Auto-configuration for {@link AutoConfigureLocks @AutoConfigureLocks}: the control of
 * the registry. The application still uses the registry itself.
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
public final class TestLockRegistryAutoConfiguration {

	@Bean(destroyMethod = "")
	@Fallback
	@Lazy
	TestLockRegistry testLockRegistry(ObjectProvider<DefaultLockRegistry> registry, TestLockStore store) {
		DefaultLockRegistry controlled = registry.getIfAvailable();
		Assert.state(controlled != null,
				"A TestLockRegistry controls the LockRegistry of the auto-configuration, but the application or the test has a LockRegistry of its own. Remove that bean, or use it instead of the TestLockRegistry");
		return new TestLockRegistry(controlled, store);
	}

}
