package io.github.lockstarter.store.memory;

import java.time.Duration;

import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.StoredLock;

/**
 * Searches interleavings of concurrent calls for a result that no sequential order of the
 * calls explains, and prints the outcome.
 */
@Param(name = "owner", gen = IntGen.class, conf = "1:2")
public class LincheckModel {

	private final StoredLock lock = new MemoryLockStore(() -> 0).lock(new LockKey("lincheck", ""));

	@Operation
	public boolean acquire(@Param(name = "owner") int owner) {
		return this.lock.acquire(AcquireCommand.of("owner" + owner, Duration.ofDays(1)))
			.toCompletableFuture()
			.join() instanceof Granted;
	}

	@Operation
	public boolean renew(@Param(name = "owner") int owner) {
		return this.lock.renew("owner" + owner, Duration.ofDays(1)).toCompletableFuture().join();
	}

	@Operation
	public boolean release(@Param(name = "owner") int owner) {
		return this.lock.release("owner" + owner, null).toCompletableFuture().join();
	}

	public static void main(String[] args) {
		new ModelCheckingOptions().iterations(Integer.parseInt(args[0]))
			.invocationsPerIteration(500)
			.threads(3)
			.actorsPerThread(3)
			.check(LincheckModel.class);
		System.out.println("is linearizable: true");
	}

}
