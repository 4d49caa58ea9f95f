package io.github.lockstarter.sample.demo;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Sends the requests of runs, and keeps the last runs.
 */
@Component
class Runs {

	/** So that the threads and connections of one instance are enough for all of them. */
	static final int MAX_AT_ONCE = 2;

	private static final int MAX_KEPT = 20;

	private static final int REQUESTS_OF_KILL = 3;

	private final Deque<Run> runs = new ArrayDeque<>();

	private final Client client;

	private final Executions executions;

	Runs(Client client, Executions executions) {
		this.client = client;
		this.executions = executions;
	}

	/** Fires at the instances in turn, unless too many runs are under way. */
	Optional<Run> fire(Policy policy, int requests, boolean slow, List<Instance> instances) {
		Optional<Run> started = start(Lane.of(Policy.UNGUARDED, requests), Lane.of(policy, requests), slow, instances,
				null);
		started.ifPresent((run) -> {
			// A replay is for retries: those follow when the first half has its
			// responses.
			int first = (policy == Policy.REPLAY) ? (requests + 1) / 2 : requests;
			send(run, 1, first, instances);
			CompletableFuture<?> responded = (first < requests) ? run.responded()
					: CompletableFuture.completedFuture(null);
			responded.thenRun(() -> send(run, first + 1, requests, instances))
				.whenComplete((done, failure) -> run.sent().complete(null));
		});
		return started;
	}

	/**
	 * Kills an instance while it holds the lock: it gets the first request, the other
	 * instances get the requests that wait.
	 */
	Optional<Run> fireAndKill(Instance instance, List<Instance> instances) {
		Kill kill = new Kill(instance, new CompletableFuture<>());
		Optional<Run> started = start(Lane.of(Policy.UNGUARDED, REQUESTS_OF_KILL),
				Lane.of(Policy.WAIT, REQUESTS_OF_KILL), true, instances, kill);
		started.ifPresent((run) -> {
			send(run, 1, 1, List.of(instance));
			CompletableFuture<Boolean> runs = until(run, () -> !this.executions.of(run.right().userName()).isEmpty())
				.whenComplete((reached, failure) -> send(run, 2, REQUESTS_OF_KILL, others(kill, instances)));
			kill(kill, runs, "its request did not run").whenComplete((done, failure) -> run.sent().complete(null));
		});
		return started;
	}

	/**
	 * Kills an instance after it has committed a payment, and before it responds. Another
	 * instance gets the retry.
	 */
	Optional<Run> payAndKill(Instance instance, List<Instance> instances) {
		Kill kill = new Kill(instance, new CompletableFuture<>());
		Optional<Run> started = start(Lane.of(Policy.PAYMENT, 2), Lane.of(Policy.PAYMENT_IN_DATABASE, 2), true,
				instances, kill);
		started.ifPresent((run) -> {
			send(run, 1, 1, List.of(instance));
			CompletableFuture<Boolean> paid = until(run,
					() -> run.lanes().stream().allMatch((lane) -> this.executions.rows(lane) > 0));
			kill(kill, paid, "it did not make both payments").thenRun(() -> send(run, 2, 2, others(kill, instances)))
				.whenComplete((done, failure) -> run.sent().complete(null));
		});
		return started;
	}

	private static List<Instance> others(Kill kill, List<Instance> instances) {
		return instances.stream().filter((each) -> !each.equals(kill.instance())).toList();
	}

	/**
	 * Kills the instance a second after a moment, if that is reached. Completes when the
	 * outcome is known.
	 */
	private CompletableFuture<Void> kill(Kill kill, CompletableFuture<Boolean> moment, String otherwise) {
		return moment
			.thenComposeAsync((reached) -> reached ? this.client.kill(kill.instance())
					: CompletableFuture.completedFuture(Kill.Outcome.failed(otherwise)), after(1000))
			.exceptionally((failure) -> Kill.Outcome.failed("the run has failed: " + failure))
			.thenAccept(kill.future()::complete);
	}

	private void send(Run run, int first, int last, List<Instance> instances) {
		for (int number = first; number <= last; number++) {
			Instance instance = instances.get((number - 1) % instances.size());
			for (Lane lane : run.lanes()) {
				lane.requests()
					.add(this.client.send(lane, number, instance, run.slow() ? RequestNumbers.MAX_SLOWDOWN : 1));
			}
		}
	}

	/**
	 * Completes when a condition is true, or cannot become true any more, with whether it
	 * is.
	 */
	private CompletableFuture<Boolean> until(Run run, BooleanSupplier condition) {
		return CompletableFuture.supplyAsync(() -> {
			boolean responded = run.responded().isDone();
			return condition.getAsBoolean() ? Boolean.TRUE : responded ? Boolean.FALSE : null;
		}, after(50))
			.thenCompose((reached) -> (reached != null) ? CompletableFuture.completedFuture(reached)
					: until(run, condition));
	}

	private static Executor after(int millis) {
		return CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS);
	}

	private synchronized Optional<Run> start(Lane left, Lane right, boolean slow, List<Instance> instances,
			@Nullable Kill kill) {
		if (this.runs.stream().filter((run) -> !run.isOver()).count() >= MAX_AT_ONCE) {
			return Optional.empty();
		}
		this.executions.forgetBefore(Instant.now().minus(Duration.ofDays(1)));
		Run run = new Run(Instant.now(), slow, instances, left, right, kill, new CompletableFuture<>());
		this.runs.addFirst(run);
		if (this.runs.size() > MAX_KEPT) {
			this.runs.removeLast();
		}
		return Optional.of(run);
	}

	synchronized Optional<Run> find(String id) {
		return this.runs.stream().filter((run) -> run.id().equals(id)).findAny();
	}

	/** Returns the kept runs, the latest first. */
	synchronized List<Run> latest() {
		return List.copyOf(this.runs);
	}

}
