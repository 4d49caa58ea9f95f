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

import io.github.lockstarter.store.StoreCalls.NotDone;

/**
 * Requests to DynamoDB that never block the caller.
 */
final class Requests {

	private static final int THREADS = 2;

	private static final long AGAIN_MILLIS = 20;

	private static final long KEEP_ALIVE_SECONDS = 10;

	private final DynamoDbAsyncClient client;

	private final Duration timeout;

	private final AwsRequestOverrideConfiguration inTime;

	private final ScheduledThreadPoolExecutor sender = sender();

	private final Executor later = (task) -> this.sender.schedule(task, AGAIN_MILLIS, TimeUnit.MILLISECONDS);

	Requests(DynamoDbAsyncClient client, Duration timeout) {
		this.client = client;
		this.timeout = timeout;
		this.inTime = AwsRequestOverrideConfiguration.builder().apiCallTimeout(timeout).build();
	}

	/**
	 * Returns threads to call the driver on. It resolves credentials on the thread that
	 * calls it, and may have to ask another server for them.
	 */
	private static ScheduledThreadPoolExecutor sender() {
		CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-dynamodb-");
		threads.setDaemon(true);
		ScheduledThreadPoolExecutor sender = new ScheduledThreadPoolExecutor(THREADS, threads);
		sender.setKeepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS);
		sender.allowCoreThreadTimeOut(true);
		return sender;
	}

	/** Returns what lets the driver give up a request when it is too late. */
	AwsRequestOverrideConfiguration inTime() {
		return this.inTime;
	}

	/**
	 * Sends a request, and sends it again as long as a transaction is under way with its
	 * items.
	 */
	<T> CompletionStage<T> send(Function<DynamoDbAsyncClient, CompletableFuture<T>> request) {
		return send(request, this.sender, System.nanoTime() + this.timeout.toNanos());
	}

	private <T> CompletionStage<T> send(Function<DynamoDbAsyncClient, CompletableFuture<T>> request, Executor executor,
			long until) {
		return CompletableFuture.supplyAsync(() -> {
			if (System.nanoTime() - until > 0) {
				throw new NotDone("the request to DynamoDB could not be sent in time", null);
			}
			return request.apply(this.client);
		}, executor)
			.thenCompose(Function.identity())
			.exceptionallyCompose((failure) -> isConflict(cause(failure)) ? send(request, this.later, until)
					: CompletableFuture.failedFuture(cause(failure)));
	}

	private static boolean isConflict(Throwable failure) {
		return failure instanceof TransactionConflictException || (failure instanceof TransactionCanceledException ex
				&& ex.cancellationReasons().stream().anyMatch((each) -> "TransactionConflict".equals(each.code())));
	}

	/** Returns whether DynamoDB has answered that it did not do it. */
	static boolean isRefusal(Throwable failure) {
		return failure instanceof DynamoDbException refusal && refusal.statusCode() / 100 == 4;
	}

	/**
	 * Returns the answer, where a refusal is distinguished from a failure after which the
	 * request may have been done.
	 */
	static <T> CompletionStage<T> told(CompletionStage<T> answer) {
		return answer.exceptionallyCompose((failure) -> {
			Throwable cause = cause(failure);
			return CompletableFuture.failedFuture(!(isRefusal(cause) && cause instanceof DynamoDbException refusal)
					? cause
					: new NotDone("DynamoDB refused the request: " + refusal.awsErrorDetails().errorCode(), refusal));
		});
	}

	@Contract("!null -> !null")
	static @Nullable Throwable cause(@Nullable Throwable failure) {
		boolean wrapped = failure instanceof CompletionException || failure instanceof ExecutionException;
		Throwable cause = (failure != null && wrapped) ? failure.getCause() : null;
		return (cause != null) ? cause : failure;
	}

}
