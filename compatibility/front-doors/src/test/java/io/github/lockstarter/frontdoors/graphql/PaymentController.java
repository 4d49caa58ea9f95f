package io.github.lockstarter.frontdoors.graphql;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.graphql.data.method.annotation.Argument;
import org.springframework.graphql.data.method.annotation.BatchMapping;
import org.springframework.graphql.data.method.annotation.MutationMapping;
import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.graphql.data.method.annotation.SchemaMapping;
import org.springframework.graphql.data.method.annotation.SubscriptionMapping;
import org.springframework.stereotype.Controller;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockConflictException.ConflictReason;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.frontdoors.Work;

/**
 * Payments under locks, in each form that a controller method may have.
 */
@Controller
class PaymentController {

	private final Work work;

	PaymentController(Work work) {
		this.work = work;
	}

	@MutationMapping
	@ExclusiveRequest(name = "payment", key = "#id")
	public int pay(@Argument String id) {
		return this.work.run();
	}

	@MutationMapping
	@ExclusiveRequest(name = "payment", key = "#id")
	public Mono<Integer> payInMono(@Argument String id) {
		return Mono.fromCallable(this.work::run).subscribeOn(Schedulers.boundedElastic());
	}

	@MutationMapping
	@ExclusiveRequest(name = "payment", key = "#id")
	public CompletableFuture<Integer> payInFuture(@Argument String id) {
		return CompletableFuture.supplyAsync(this.work::run, Work.THREADS);
	}

	@MutationMapping
	@ExclusiveRequest(name = "payment", key = "#id")
	public Callable<Integer> payInTask(@Argument String id) {
		return this.work::run;
	}

	@MutationMapping
	@ExclusiveRequest(name = "payment", key = "#id", onConflict = OnConflict.WAIT, waitTime = "30s")
	public int payPatiently(@Argument String id) {
		return this.work.run();
	}

	@MutationMapping
	@ExclusiveRequest(name = "together", key = "#id", onConflict = OnConflict.SHARE, waitTime = "30s")
	public int payTogether(@Argument String id) {
		return this.work.run();
	}

	@MutationMapping
	@ExclusiveRequest(name = "payment", key = "#id", onConflict = OnConflict.SKIP)
	public @Nullable Integer payOrSkip(@Argument String id) {
		return this.work.run();
	}

	@MutationMapping
	@ExclusiveRequest(name = "once", key = "#id", replay = "1h")
	public int payOnce(@Argument String id, @Argument int amount) {
		return this.work.run();
	}

	@MutationMapping
	@ExclusiveRequest(name = "order", key = "header('X-Order')")
	public String order() {
		return "ordered";
	}

	@MutationMapping
	@ExclusiveRequest(name = "order", key = "header('X-Order')")
	public Mono<String> orderInMono() {
		return Mono.just("ordered");
	}

	@MutationMapping
	@ExclusiveRequest(name = "endpoint", key = "path")
	public String endpoint() {
		return "called";
	}

	@MutationMapping
	@ExclusiveRequest(name = "own", key = "principal")
	public String own() {
		return "called";
	}

	@MutationMapping
	@ExclusiveRequest(name = "own", key = "principal")
	public Mono<String> ownInMono() {
		return Mono.just("called");
	}

	@MutationMapping
	@ExclusiveRequest(name = "token", key = "#id")
	public long token(@Argument String id, Lease lease) {
		return lease.fencingToken();
	}

	@MutationMapping
	public int fail(@Argument String problem) {
		LockKey key = new LockKey("failing", "secret");
		throw switch (problem) {
			case "wait-queue-full" ->
				new LockConflictException(key, ConflictReason.QUEUE_FULL, Duration.ofMillis(1500), null);
			case "lease-lost" -> new LeaseLostException(key);
			case "lock-store-unavailable" -> new LockStoreException(key, "the connection was closed", null);
			default -> new IllegalStateException(problem);
		};
	}

	@SubscriptionMapping
	@ExclusiveRequest(name = "payment", key = "#id")
	public Flux<Integer> progress(@Argument String id) {
		return Flux.just(1, 2).concatWith(Mono.fromCallable(this.work::run).subscribeOn(Schedulers.boundedElastic()));
	}

	@QueryMapping
	public List<Payment> payments() {
		return List.of(new Payment("1"), new Payment("2"));
	}

	@BatchMapping
	@ExclusiveRequest(name = "rates", keys = "#payments.![id]")
	public Map<Payment, Integer> rate(List<Payment> payments) {
		return payments.stream().collect(Collectors.toMap(Function.identity(), (payment) -> 100));
	}

	@SchemaMapping(typeName = "Payment")
	@ExclusiveRequest(name = "receipt", key = "#payment.id() + header('X-Order')")
	public CompletableFuture<String> receipt(Payment payment) {
		return CompletableFuture.supplyAsync(() -> "receipt " + payment.id());
	}

	record Payment(String id) {

	}

}
