package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.assertj.core.api.ListAssert;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.registry.sharing.SharedLease;
import io.github.lockstarter.registry.sharing.SharingRegistry;
import io.github.lockstarter.registry.sharing.SharingRegistry.LeaseOrResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/**
 * The wait time for a held lock, by the conflict strategy.
 */
class OnConflictTests {

	private final List<Duration> waits = new ArrayList<>();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withBean(Jobs.class);

	@Test
	@DisplayName("The annotation's wait precedes lock.wait, and a wait set for the name precedes both, even if it is 0")
	void precedence() {
		calls((jobs) -> {
			jobs.shareBriefly();
			jobs.share();
		}, "lock.wait=3s", "lock.names.share.wait=0s").containsExactly(Duration.ofSeconds(1), Duration.ZERO);
	}

	@Test
	@DisplayName("A registry that cannot share results prevents startup")
	void otherRegistry() {
		this.runner.withBean(LockRegistry.class, () -> mock(LockRegistry.class))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockConfigurationException.class)
				.hasMessageContaining("cannot share results"));
	}

	private ListAssert<Duration> calls(Consumer<Jobs> calls, String... properties) {
		SharingRegistry registry = mock(SharingRegistry.class, (call) -> {
			for (Object argument : call.getArguments()) {
				if (argument instanceof LockOptions options) {
					this.waits.add(options.waitTime());
				}
			}
			if (call.getMethod().getReturnType() == void.class) {
				return null;
			}
			SharedLease lease = mock(SharedLease.class);
			when(lease.key()).thenReturn(new LockKey("any", ""));
			when(lease.isHeld()).thenReturn(true);
			return (call.getMethod().getReturnType() == LeaseOrResult.class) ? new LeaseOrResult(lease, null) : lease;
		});
		this.runner.withPropertyValues(properties)
			.withBean(LockRegistry.class, () -> registry)
			.run((context) -> calls.accept(context.getBean(Jobs.class)));
		return assertThat(this.waits);
	}

	static class Jobs {

		@ExclusiveRequest(name = "share", onConflict = OnConflict.SHARE)
		public String share() {
			return "shared";
		}

		@ExclusiveRequest(onConflict = OnConflict.SHARE, waitTime = "1s")
		public String shareBriefly() {
			return "shared";
		}

	}

}
