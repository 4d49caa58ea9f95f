package io.github.lockstarter.compatibility;

import java.time.Duration;
import java.util.function.Consumer;

import org.springframework.beans.factory.BeanFactory;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The locks of an application.
 */
public final class Locks {

	private final LockRegistry registry;

	public Locks(BeanFactory beans) {
		this.registry = beans.getBean(LockRegistry.class);
	}

	/**
	 * Asserts that calls have a lock.
	 * @param name the name of the lock
	 * @param call the call for a key
	 */
	public void assertLocked(String name, Consumer<String> call) {
		call.accept("42");
		try (Lease held = acquire(name, "42")) {
			assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> call.accept("42"));
			call.accept("43");
			assertThat(held.isHeld()).isTrue();
		}
		call.accept("42");
	}

	private Lease acquire(String name, String key) {
		return this.registry.acquire(new LockKey(name, key), LockOptions.of(Duration.ofMinutes(1)));
	}

}
