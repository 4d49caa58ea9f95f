package io.github.lockstarter.store.dynamodb;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.TransactionConflictException;

import org.springframework.lang.Contract;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

import io.github.lockstarter.store.StoreCalls;
import io.github.lockstarter.store.StoreCalls.NotDone;

/**
 * Executes operations of DynamoDB without blocking the caller.
 */
final class Operations {

	private static final int THREADS = 2;

	private static final long AGAIN_MILLIS = 20;

	private static final long KEEP_ALIVE_SECONDS = 10;

	/**
	 * The driver counts the time for which the process stands still, and discards an
	 * answer that has arrived meanwhile.
	 */
	private static final Duration LONGEST_STOP = Duration.ofSeconds(3);

	private final DynamoDbAsyncClient client;

	private final StoreCalls calls;

	private final AwsRequestOverrideConfiguration inTime;

	private final ScheduledThreadPoolExecutor sender = sender();

	private final Executor later = (task) -> this.sender.schedule(task, AGAIN_MILLIS, TimeUnit.MILLISECONDS);

	/**
	 * Creates operations.
	 * @param calls the timeout of an operation, and its clock
	 */
	Operations(DynamoDbAsyncClient client, StoreCalls calls) {
		this.client = client;
		this.calls = calls;
		this.inTime = AwsRequestOverrideConfiguration.builder()
			.apiCallTimeout(calls.timeout().plus(LONGEST_STOP))
			.build();
	}

	/**
	 * Returns the threads that call the driver. The driver resolves credentials on the
	 * calling thread, and may have to fetch them from another server.
	 */
	private static ScheduledThreadPoolExecutor sender() {
		CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-dynamodb-");
		threads.setDaemon(true);
		ScheduledThreadPoolExecutor sender = new ScheduledThreadPoolExecutor(THREADS, threads);
		sender.setKeepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS);
		sender.allowCoreThreadTimeOut(true);
		return sender;
	}

	/**
	 * Returns a configuration with which the driver gives up an operation some time after
	 * the timeout.
	 */
	AwsRequestOverrideConfiguration inTime() {
		return this.inTime;
	}

	/**
	 * Executes an operation, and repeats it while a transaction with its items is in
	 * progress.
	 */
	<T> CompletionStage<T> send(Function<DynamoDbAsyncClient, CompletableFuture<T>> operation) {
		return send(operation, this.sender, this.calls.nanoTime() + this.calls.timeout().toNanos());
	}

	private <T> CompletionStage<T> send(Function<DynamoDbAsyncClient, CompletableFuture<T>> operation,
			Executor executor, long until) {
		return CompletableFuture.supplyAsync(() -> {
			if (this.calls.nanoTime() - until > 0) {
				throw new NotDone("the operation could not be sent to DynamoDB in time", null);
			}
			return operation.apply(this.client);
		}, executor)
			.thenCompose(Function.identity())
			.exceptionallyCompose((failure) -> isConflict(cause(failure)) ? send(operation, this.later, until)
					: CompletableFuture.failedFuture(cause(failure)));
	}

	private static boolean isConflict(Throwable failure) {
		return failure instanceof TransactionConflictException || (failure instanceof TransactionCanceledException ex
				&& ex.cancellationReasons().stream().anyMatch((each) -> "TransactionConflict".equals(each.code())));
	}

	/** Returns whether DynamoDB has answered that the operation was not executed. */
	static boolean isRefusal(Throwable failure) {
		return failure instanceof DynamoDbException refusal && refusal.statusCode() / 100 == 4;
	}

	/**
	 * Returns the answer. A refusal is distinguished from a failure after which the
	 * operation may have been executed.
	 */
	static <T> CompletionStage<T> refusalAsNotDone(CompletionStage<T> answer) {
		return answer.exceptionallyCompose((failure) -> {
			Throwable cause = cause(failure);
			return CompletableFuture.failedFuture(!(isRefusal(cause) && cause instanceof DynamoDbException refusal)
					? cause
					: new NotDone("DynamoDB refused the operation: " + refusal.awsErrorDetails().errorCode(), refusal));
		});
	}

	@Contract("!null -> !null")
	static @Nullable Throwable cause(@Nullable Throwable failure) {
		boolean wrapped = failure instanceof CompletionException || failure instanceof ExecutionException;
		Throwable cause = (failure != null && wrapped) ? failure.getCause() : null;
		return (cause != null) ? cause : failure;
	}

}
