package io.github.lockstarter.compatibility;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;

import org.springframework.context.ApplicationContext;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.registry.LockInspector;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The calls that wait for locks of an application.
 */
final class Waiters {

	private final LockRegistry locks;

	Waiters(ApplicationContext context) {
		this.locks = context.getBean(LockRegistry.class);
	}

	/**
	 * Makes a call while its lock is held, and releases the lock when the call waits for
	 * it.
	 * @param call a call that does not block
	 */
	<T> CompletableFuture<T> contended(LockKey key, Callable<CompletableFuture<T>> call) throws Exception {
		try (Lease held = this.locks.acquire(key, this.locks.options(key.name()))) {
			CompletableFuture<T> waiting = call.call();
			await(1);
			assertThat(waiting).isNotDone();
			assertThat(held.isHeld()).isTrue();
			return waiting;
		}
	}

	/** Waits until so many calls wait. */
	void await(int count) {
		Awaitility.await().until(() -> count() == count);
	}

	private int count() {
		return new LockInspector((DefaultLockRegistry) this.locks).snapshot()
			.stream()
			.mapToInt((lock) -> lock.waiting().size())
			.sum();
	}

}
