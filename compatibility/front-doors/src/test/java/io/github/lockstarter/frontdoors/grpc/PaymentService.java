package io.github.lockstarter.frontdoors.grpc;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.grpc.stub.StreamObserver;

import org.springframework.stereotype.Service;

import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockConflictException.ConflictReason;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.PayloadMismatchException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.frontdoors.Work;

/**
 * Payments under locks.
 */
@Service
class PaymentService extends PaymentsGrpc.PaymentsImplBase {

	private final Work work;

	PaymentService(Work work) {
		this.work = work;
	}

	@Override
	@ExclusiveRequest(name = "payment", key = "#id")
	public void pay(String id, StreamObserver<String> responses) {
		respond(this.work.run(), responses);
	}

	@Override
	@ExclusiveRequest(name = "payment", key = "#id", onConflict = OnConflict.WAIT, waitTime = "30s")
	public void payPatiently(String id, StreamObserver<String> responses) {
		respond(this.work.run(), responses);
	}

	/** The lock ends with the method, and not with the response. */
	@Override
	@ExclusiveRequest(name = "payment", key = "#id")
	public void payLater(String id, StreamObserver<String> responses) {
		CompletableFuture.runAsync(() -> respond(this.work.run(), responses), Work.THREADS);
	}

	@Override
	@ExclusiveRequest(name = "order", key = "header('X-Order')")
	public void order(String id, StreamObserver<String> responses) {
		respond(this.work.run(), responses);
	}

	@Override
	public void fail(String problem, StreamObserver<String> responses) {
		LockKey key = new LockKey("failing", "secret");
		throw switch (problem) {
			case "wait-queue-full" ->
				new LockConflictException(key, ConflictReason.QUEUE_FULL, Duration.ofMillis(1500), null);
			case "payload-mismatch" -> new PayloadMismatchException("failing");
			case "lease-lost" -> new LeaseLostException(key);
			case "lock-store-unavailable" -> new LockStoreException(key, "the connection was closed", null);
			default -> new IllegalStateException(problem);
		};
	}

	private static void respond(int run, StreamObserver<String> responses) {
		responses.onNext(Integer.toString(run));
		responses.onCompleted();
	}

}
