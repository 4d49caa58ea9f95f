package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.LockStores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A registry with two stores: the locks whose names begin with "paid" are in one of them,
 * and all others in the default one.
 */
@ExtendWith(OutputCaptureExtension.class)
class SeveralStoresTests {

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(10));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofSeconds(5));

	private static final LockKey FREE = new LockKey("free", "1");

	private static final LockKey PAID = new LockKey("paid", "1");

	private final VirtualRuntime runtime = new VirtualRuntime();

	private final ObservedStore cheap = new ObservedStore(this.runtime::nanoTime);

	private final ObservedStore safe = new ObservedStore(this.runtime::nanoTime);

	private final DefaultLockRegistry locks = registry();

	private final DefaultLockRegistry elsewhere = registry();

	private DefaultLockRegistry registry() {
		LockStores stores = new LockStores("cheap", this.cheap, Map.of("safe", this.safe),
				(lockName) -> lockName.startsWith("paid") ? "safe" : null);
		return new DefaultLockRegistry(stores, RegistrySettings.of(OPTIONS).withRuntime(this.runtime));
	}

	@AfterEach
	void close() {
		this.cheap.deliver();
		this.safe.deliver();
		this.locks.close();
		this.elsewhere.close();
		assertThat(RegistryAccess.isUnused(this.locks)).isTrue();
	}

	@Test
	@DisplayName("A lock is acquired in its own store only")
	void routes() {
		this.locks.acquire(PAID, OPTIONS).close();
		assertThat(this.cheap.commands()).isZero();
		assertThat(this.safe.commands()).isEqualTo(2);
		this.locks.acquire(FREE, OPTIONS).close();
		assertThat(this.cheap.commands()).isEqualTo(2);
		assertThat(this.safe.commands()).isEqualTo(2);
	}

	@Test
	@DisplayName("A store that does not answer delays no grant, no renewal, no waiter and no release of the other")
	void independent() {
		Lease renewed = this.locks.acquire(FREE, OPTIONS);
		Lease stuck = this.locks.acquire(PAID, OPTIONS);
		this.safe.withholding = true;
		CompletableFuture<Lease> unanswered = this.locks.acquireAsync(new LockKey("paid", "2"), WAITING)
			.toCompletableFuture();
		CompletableFuture<Lease> waiting = this.elsewhere
			.acquireAsync(FREE, LockOptions.of(Duration.ofSeconds(10)).withWaitTime(Duration.ofMinutes(1)))
			.toCompletableFuture();
		this.runtime.pass(Duration.ofSeconds(15));
		assertThat(unanswered).isNotDone();
		assertThat(renewed.isHeld()).isTrue();
		assertThat(stuck.isHeld()).as("its renewals are not answered").isFalse();
		assertThat(waiting).isNotDone();
		renewed.releaseAsync();
		this.runtime.pass(Duration.ofSeconds(1));
		assertThat(waiting).isCompletedWithValueMatching(Lease::isHeld);
		this.locks.acquire(new LockKey("free", "2"), OPTIONS).close();
		waiting.join().close();
	}

	@Test
	@DisplayName("Each store renews its own leases, and after a reconnection only those of that store")
	void renewals() {
		// A store notifies the registry that was created last.
		DefaultLockRegistry last = registry();
		Lease free = last.acquire(FREE, OPTIONS);
		Lease paid = last.acquire(PAID, OPTIONS);
		this.runtime.pass(Duration.ofSeconds(4));
		assertThat(this.cheap.renewals).singleElement(InstanceOfAssertFactories.LIST).hasSize(1);
		assertThat(this.safe.renewals).singleElement(InstanceOfAssertFactories.LIST).hasSize(1);
		this.safe.reconnect();
		this.runtime.settle();
		assertThat(this.cheap.renewals).hasSize(1);
		assertThat(this.safe.renewals).hasSize(2);
		free.close();
		paid.close();
		last.close();
	}

	@Test
	@DisplayName("Several locks are granted with one command for each row of locks of one store, in the order of their keys")
	void acquireAll() {
		List<LockKey> keys = List.of(new LockKey("z", "1"), new LockKey("paid", "2"), new LockKey("paid", "1"),
				new LockKey("b", "1"), new LockKey("a", "1"));
		List<Lease> leases = this.locks.acquireAll(keys, OPTIONS);
		assertThat(leases).extracting((lease) -> lease.key().toString())
			.isEqualTo(keys.stream().sorted().map(LockKey::toString).toList());
		assertThat(this.cheap.acquires).as("a and b, then z").hasValue(2);
		assertThat(this.safe.acquires).hasValue(1);
		leases.forEach(Lease::close);
		CompletableFuture<List<Lease>> later = this.locks.acquireAllAsync(keys, OPTIONS, Runnable::run)
			.toCompletableFuture();
		assertThat(this.runtime.join(later)).hasSize(5).allMatch(Lease::isHeld).allSatisfy(Lease::close);
		assertThat(this.cheap.acquires).hasValue(4);
		assertThat(this.safe.acquires).hasValue(2);
	}

	@Test
	@DisplayName("If one of several locks is held or its store fails, those of the other store are released")
	void allOrNone() {
		List<LockKey> keys = List.of(FREE, PAID);
		Lease held = this.elsewhere.acquire(PAID, OPTIONS);
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> this.locks.acquireAll(keys, OPTIONS));
		assertThat(RegistryAccess.isUnused(this.locks)).isTrue();
		this.elsewhere.acquire(FREE, OPTIONS).close();
		held.close();
		this.safe.broken = true;
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.locks.acquireAll(keys, OPTIONS));
		this.safe.broken = false;
		this.elsewhere.acquire(FREE, OPTIONS).close();
	}

	@Test
	@DisplayName("A held lock rejects a call for several at once, without a command to any store")
	void rejectedHere() {
		Lease held = this.locks.acquire(PAID, OPTIONS);
		assertThatExceptionOfType(LockConflictException.class)
			.isThrownBy(() -> this.locks.acquireAll(List.of(FREE, PAID), OPTIONS));
		assertThat(this.cheap.commands()).isZero();
		held.close();
	}

	@Test
	@DisplayName("The log names the store that fails, and each has its own lines")
	void outages(CapturedOutput output) {
		this.safe.broken = true;
		this.locks.tryAcquireAsync(PAID, OPTIONS);
		this.locks.tryAcquireAsync(PAID, OPTIONS);
		this.locks.tryAcquireAsync(FREE, OPTIONS).thenAccept((lease) -> lease.orElseThrow().releaseAsync());
		this.runtime.settle();
		assertThat(output).containsOnlyOnce("The lock store 'safe' fails").doesNotContain("answers again");
		this.cheap.broken = true;
		this.locks.tryAcquireAsync(FREE, OPTIONS);
		this.safe.broken = false;
		this.locks.tryAcquireAsync(PAID, OPTIONS).thenAccept((lease) -> lease.orElseThrow().releaseAsync());
		this.runtime.settle();
		assertThat(output).containsOnlyOnce("The lock store 'cheap' fails")
			.containsOnlyOnce("The lock store 'safe' answers again; failures meanwhile: 2");
		this.cheap.broken = false;
	}

	@Test
	@DisplayName("The shutdown answers the waiters, and releases the locks, of all stores")
	void shutdown() {
		for (LockKey key : List.of(FREE, PAID)) {
			this.locks.acquire(key, OPTIONS);
			CompletableFuture<Lease> waiting = this.locks.acquireAsync(key, WAITING).toCompletableFuture();
			this.runtime.settle();
			assertThat(waiting).isNotDone();
		}
		LockInspector inspector = new LockInspector(this.locks);
		assertThat(inspector.snapshot()).extracting((lock) -> lock.key()).containsExactlyInAnyOrder(FREE, PAID);
		assertThat(inspector.waiters("paid") + inspector.waiters("free")).isEqualTo(2);
		this.locks.drain();
		this.runtime.settle();
		assertThat(inspector.waiters("paid") + inspector.waiters("free")).isZero();
		this.runtime.join(this.locks.releaseAll());
		this.elsewhere.acquire(FREE, OPTIONS).close();
		this.elsewhere.acquire(PAID, OPTIONS).close();
		this.locks.open();
		this.locks.acquire(PAID, OPTIONS).close();
	}

	@Test
	@DisplayName("Two stores have different names, and a lock that chooses an unknown one is in none")
	void names() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new LockStores("same", this.cheap, Map.of("same", this.safe), (name) -> null));
		LockStores stores = new LockStores("cheap", this.cheap, Map.of("safe", this.safe), (name) -> "unknown");
		assertThatIllegalStateException().isThrownBy(() -> stores.of("any"))
			.withMessage("Lock 'any' chooses the store 'unknown', which is none of [cheap, safe]");
		assertThat(LockStores.of(this.cheap).nameOf("any")).isEqualTo("own");
	}

}
