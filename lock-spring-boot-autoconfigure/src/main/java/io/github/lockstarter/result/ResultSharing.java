package io.github.lockstarter.result;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongFunction;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.exc.InvalidDefinitionException;

import org.springframework.http.HttpEntity;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.ErrorResponse;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.PayloadMismatchException;
import io.github.lockstarter.ResultUnavailableException;
import io.github.lockstarter.WaitBudget;
import io.github.lockstarter.registry.sharing.SharingRegistry;
import io.github.lockstarter.registry.sharing.SharingRegistry.LeaseOrResult;
import io.github.lockstarter.result.SharedResult.Response;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredResult;

/**
 * Shares the results of one method, or of work in code, among concurrent calls with the
 * same key, or replays them to later calls.
 */
public final class ResultSharing {

	private static final Log logger = LogFactory.getLog(ResultSharing.class);

	private final SharingSettings settings;

	private final SharingContext context;

	private final String lockName;

	private final SharedWork work;

	private final ResultType type;

	private final @Nullable ReplayRetention replay;

	/** Events that have been logged: only the first of a kind is logged as a warning. */
	private final Set<Event> logged;

	private volatile @Nullable ResultFormat format;

	ResultSharing(SharingSettings settings, String lockName, SharedWork work, ResultType type,
			@Nullable ReplayRetention replay) {
		this.settings = settings;
		this.context = settings.context();
		this.lockName = lockName;
		this.work = work;
		this.type = type;
		this.replay = replay;
		this.logged = ConcurrentHashMap.newKeySet();
		String objection = type.ofHandler() ? null : ShareableTypes.objection(type.type());
		if (objection != null) {
			throw notShareable(objection);
		}
	}

	private ResultSharing(ResultSharing other, Duration keep) {
		SharingSettings.checkTime(keep);
		this.settings = other.settings;
		this.context = other.context;
		this.lockName = other.lockName;
		this.work = other.work;
		this.type = other.type;
		this.replay = new ReplayRetention(keep,
				(other.replay != null) ? other.replay.responses() : KeptResponses.VALUES);
		this.logged = other.logged;
		this.format = other.format;
	}

	/**
	 * Returns the replay of the same results that keeps them for another time.
	 * @throws IllegalArgumentException if it is out of range
	 */
	public ResultSharing keptFor(Duration time) {
		return new ResultSharing(this, time);
	}

	/**
	 * Checks that values of the method can be written and read, unless its responses are
	 * shared instead. It needs beans, so it is called after they have been created.
	 * @throws LockConfigurationException if they cannot
	 */
	public void check() {
		try {
			this.context.predicate();
			if (!this.type.ofHandler()) {
				format().check();
			}
		}
		catch (JacksonException ex) {
			throw notShareable(ex.getOriginalMessage());
		}
		catch (IllegalStateException ex) {
			throw notShareable(String.valueOf(ex.getMessage()));
		}
	}

	private LockConfigurationException notShareable(String reason) {
		return new LockConfigurationException("%s: %s.".formatted(this.work.declaration(), reason),
				"Return a value that can be written as JSON and read again, or a ResponseEntity of one, and declare its type.");
	}

	/**
	 * Acquires the lock or receives the result of another holder, on this thread.
	 * @throws PayloadMismatchException if the result is for other arguments
	 * @throws io.github.lockstarter.LockException if neither is available
	 */
	public Outcome acquire(LockRegistry registry, LockKey key, LockOptions options, Caller caller) {
		SharingRegistry sharing = registry(registry);
		WaitBudget budget = new WaitBudget();
		CompletableFuture<Outcome> result = new CompletableFuture<>();
		attempt((since) -> CompletableFuture
			.completedFuture(sharing.acquire(key, budget.next(options), resultKey(caller), since)), since(), caller,
				result);
		try {
			return result.join();
		}
		catch (CompletionException ex) {
			ReflectionUtils.rethrowRuntimeException(ex.getCause());
			throw ex;
		}
	}

	/**
	 * Acquires the lock or receives the result of another holder, without blocking a
	 * thread. Cancelling the future ends the attempt, and releases a granted lock.
	 * @param executor completes the future, or {@code null} for threads of the registry;
	 * an immediate rejection completes it on this thread
	 */
	public CompletableFuture<Outcome> acquireAsync(LockRegistry registry, LockKey key, LockOptions options,
			Caller caller, @Nullable Executor executor) {
		SharingRegistry sharing = registry(registry);
		WaitBudget budget = new WaitBudget();
		CompletableFuture<Outcome> result = new CompletableFuture<>();
		attempt((since) -> sharing.acquireAsync(key, budget.next(options), resultKey(caller), since, executor), since(),
				caller, result);
		return result;
	}

	/**
	 * Completes the result with the outcome of an acquisition, which is repeated after a
	 * result that cannot be read.
	 * @param acquisition acquires the lock, or receives a result with the given fencing
	 * token or a later one
	 */
	private void attempt(LongFunction<CompletionStage<LeaseOrResult>> acquisition, long since, Caller caller,
			CompletableFuture<Outcome> result) {
		CompletableFuture<LeaseOrResult> attempt = acquisition.apply(since).toCompletableFuture();
		attempt.whenComplete((acquired, failure) -> {
			try {
				Outcome outcome = (failure == null) ? outcome(acquired, caller) : null;
				if (failure != null) {
					result.completeExceptionally(failure);
				}
				else if (outcome == null) {
					attempt(acquisition, after(acquired), caller, result);
				}
				else if (!result.complete(outcome) && outcome.lease() != null) {
					outcome.lease().releaseAsync();
				}
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		});
		result.whenComplete((outcome, failure) -> {
			if (failure != null) {
				attempt.cancel(false);
			}
		});
	}

	/**
	 * Returns the registry as one that shares results.
	 * @throws LockConfigurationException if it does not support sharing
	 */
	public static SharingRegistry registry(LockRegistry registry) {
		if (registry instanceof SharingRegistry sharing) {
			return sharing;
		}
		throw new LockConfigurationException(
				"A %s cannot share results, which a method with @ExclusiveRequest or idempotent work requires."
					.formatted(registry.getClass().getName()),
				"Let your LockRegistry implement SharingRegistry, or use that of the auto-configuration.");
	}

	/**
	 * Prepares the registry for shared results of locks with a name before the first
	 * caller arrives.
	 * @throws LockConfigurationException if it does not support sharing, or cannot keep
	 * results
	 */
	public static void prepare(LockRegistry registry, String lockName) {
		registry(registry).prepareSharing(lockName);
	}

	private long since() {
		return (this.replay != null) ? ResultQuery.ANY_TOKEN : ResultQuery.NO_TOKEN;
	}

	private static long after(LeaseOrResult unreadable) {
		StoredResult result = unreadable.result();
		return (result != null) ? result.fencingToken() + 1 : ResultQuery.NO_TOKEN;
	}

	private ResultKey resultKey(Caller caller) {
		return (this.replay != null) ? new ResultKey("replay " + caller.principal(), this.replay.keep(), true)
				: new ResultKey("share " + this.work.signature() + ' ' + caller.principal(), this.settings.ttl(),
						false);
	}

	/**
	 * Returns the outcome; {@code null} if the result cannot be read, and the call may
	 * run instead.
	 */
	private @Nullable Outcome outcome(LeaseOrResult acquired, Caller caller) {
		StoredResult stored = acquired.result();
		if (stored == null) {
			return new Outcome(acquired.lease(), null);
		}
		SharedResult result = read(stored.text(), caller);
		if (result == null) {
			return null;
		}
		this.context.counts().add(this.lockName, (this.replay != null) ? Event.REPLAYED : Event.SHARED);
		return new Outcome(null, result);
	}

	/**
	 * Reads a result.
	 * @return the result; {@code null} if it cannot be read and is not replayed
	 * @throws PayloadMismatchException if it is for other content
	 * @throws ResultUnavailableException if it is to be replayed, and was not kept or
	 * cannot be read
	 */
	private @Nullable SharedResult read(String stored, Caller caller) {
		ResultText text;
		try {
			text = ResultText.parse(stored);
			if (text.head().fingerprint().equals(caller.arguments())) {
				return switch (text.head().kind()) {
					case VALUE -> new SharedResult.Value(format().read(text));
					case TEXT, BINARY, ERROR_PAGE -> text.response();
					case UNAVAILABLE -> throw new ResultUnavailableException(this.lockName);
				};
			}
		}
		catch (ResultUnavailableException ex) {
			throw ex;
		}
		catch (RuntimeException | LinkageError | StackOverflowError ex) {
			report(Event.NOT_READABLE,
					(this.replay != null) ? "A stored result of %s cannot be read, and its duplicates are rejected"
							: "A stored result of %s cannot be read, and is treated as absent",
					ex);
			if (this.replay != null) {
				throw new ResultUnavailableException(this.lockName);
			}
			return null;
		}
		throw new PayloadMismatchException(this.lockName);
	}

	/**
	 * Returns the text of a value for other callers, or {@code null} if it is not shared.
	 * A failure is logged, and does not affect the caller whose result it is.
	 * @param caller the caller whose result it is
	 * @param value the value, or a list of values if there are many
	 * @param status the status that the handler has set; {@code null} if it has not set
	 * any
	 */
	public @Nullable String writeValue(Caller caller, @Nullable Object value, @Nullable Integer status) {
		if (!this.type.complete()) {
			return isShared(value, status) ? writeLost(caller, "Its value is not its response") : null;
		}
		return write(caller, () -> isShared(value, status(value, status)),
				(output) -> format().write(caller.arguments(), value, output));
	}

	/**
	 * Returns the text of a response for other callers, or {@code null} if it is not
	 * shared.
	 * @param caller the caller whose response it is
	 * @param value the value that the handler returned; {@code null} if it failed
	 */
	public @Nullable String writeResponse(Caller caller, Response response, @Nullable Object value) {
		if (response.status() == HttpStatus.PARTIAL_CONTENT.value()) {
			return writeLost(caller, "It is only a part of a resource, which other callers did not ask for");
		}
		return write(caller, () -> isShared(value, response.status()),
				(output) -> ResultText.write(caller.arguments(), response, output));
	}

	private @Nullable String write(Caller caller, BooleanSupplier shared, Consumer<BoundedOutput> writer) {
		BoundedOutput output = output();
		try {
			if (!shared.getAsBoolean()) {
				return null;
			}
			writer.accept(output);
			return output.toString();
		}
		catch (RuntimeException | LinkageError | StackOverflowError ex) {
			reportUnwritten(output, ex);
			return unavailable(caller);
		}
	}

	/**
	 * Returns the text that stands for a result that is not kept; {@code null} if results
	 * are not replayed, so that other callers run.
	 */
	private @Nullable String unavailable(Caller caller) {
		return (this.replay != null) ? ResultText.unavailable(caller.arguments()) : null;
	}

	/**
	 * Reports that a result is not kept, and that a duplicate runs again.
	 * @param reason why it may do so
	 */
	public void reportDropped(String reason) {
		report(Event.NOT_KEPT, "A result of %s is not kept, and a duplicate runs", new IllegalStateException(reason));
	}

	/**
	 * Reports that a result is not kept.
	 * @param reason why it would not be the same for other callers
	 * @return the text that stands for it; {@code null} if other callers run
	 */
	public @Nullable String writeLost(Caller caller, String reason) {
		report(Event.NOT_WRITABLE, "A result of %s cannot be kept" + consequence(), new IllegalStateException(reason));
		return unavailable(caller);
	}

	/** Returns the text that stands for a result that is not known yet. */
	public @Nullable String writePending(Caller caller) {
		return unavailable(caller);
	}

	private String consequence() {
		return (this.replay != null) ? ", and its duplicates are rejected" : ", and is not shared";
	}

	/**
	 * Returns whether the value is shared, if it decides and not the response.
	 * @param status the status that the handler has set; {@code null} if it has not set
	 * any
	 */
	public boolean isShared(@Nullable Object value, @Nullable Integer status) {
		try {
			return isShared(value, status(value, status));
		}
		catch (RuntimeException | LinkageError ex) {
			return false;
		}
	}

	/** Returns whether a response with the status is to be kept. */
	public boolean selects(@Nullable Object value, int status) {
		try {
			return isShared(value, status);
		}
		catch (RuntimeException | LinkageError ex) {
			return true;
		}
	}

	/** Returns whether chosen statuses are kept, instead of successful values. */
	public boolean keepsStatuses() {
		return this.replay != null && !this.replay.responses().values();
	}

	private boolean isShared(@Nullable Object value, int status) {
		return (this.replay == null || this.replay.responses().values())
				? this.context.predicate().isShared(this.lockName, value, HttpStatusCode.valueOf(status))
				: this.replay.responses().contain(status);
	}

	private static int status(@Nullable Object value, @Nullable Integer set) {
		if (value instanceof ResponseEntity<?> entity) {
			return entity.getStatusCode().value();
		}
		if (value instanceof ErrorResponse error) {
			return error.getStatusCode().value();
		}
		Object body = (value instanceof HttpEntity<?> entity) ? entity.getBody() : value;
		if (body instanceof ProblemDetail problem) {
			return problem.getStatus();
		}
		return (set != null) ? set : HttpStatus.OK.value();
	}

	/**
	 * Returns whether the response to a request is shared, instead of the value that the
	 * method returns.
	 */
	public boolean sharesResponses() {
		return this.type.ofHandler();
	}

	/**
	 * Returns whether the response to a failure of the work may be shared. The conflict
	 * of another lock is one, because the work may have had an effect before.
	 */
	public boolean keepsResponseTo(Throwable failure) {
		return this.replay != null && !this.replay.responses().values() && mayKeep(failure);
	}

	/** Returns whether each end of the work is kept, and not only some of them. */
	public boolean keepsAll() {
		return this.replay != null && this.replay.responses().equals(KeptResponses.ALL);
	}

	private boolean mayKeep(Throwable failure) {
		try {
			return this.context.predicate().mayKeep(this.lockName, failure);
		}
		catch (RuntimeException | LinkageError ex) {
			report(Event.NOT_WRITABLE,
					"The response to a failure of %s is not shared, since its ResultPredicate failed", ex);
			return false;
		}
	}

	private void reportUnwritten(BoundedOutput output, Throwable failure) {
		if (output.isExceeded()) {
			String limit = (this.context.storeLimit(this.lockName) < this.settings.maxSize().toBytes())
					? "the store can keep, which is %d bytes".formatted(this.context.storeLimit(this.lockName))
					: "lock.share.max-size, which is " + this.settings.maxSize();
			report(Event.TOO_LARGE, "A result of %s is larger than " + limit + consequence(), failure);
		}
		else {
			report(Event.NOT_WRITABLE, "A result of %s cannot be written" + consequence(), failure);
		}
	}

	private BoundedOutput output() {
		return new BoundedOutput(Math.min(this.settings.maxSize().toBytes(), this.context.storeLimit(this.lockName)));
	}

	private void report(Event event, String message, Throwable failure) {
		this.context.counts().add(this.lockName, event);
		String text = message.formatted("%s under lock '%s'".formatted(this.work.name(), this.lockName)) + ": "
				+ reason(failure);
		if (this.logged.add(event)) {
			logger.warn(text + ". Details, and all later ones, are logged at DEBUG.");
		}
		logger.debug(text, failure);
	}

	/**
	 * Returns the message if it is about types. Other messages may quote the result, and
	 * are logged only at DEBUG.
	 */
	private static @Nullable String reason(Throwable failure) {
		boolean own = failure instanceof IllegalStateException;
		return (failure instanceof InvalidDefinitionException definition) ? definition.getOriginalMessage()
				: own ? failure.getMessage() : failure.getClass().getSimpleName();
	}

	private ResultFormat format() {
		ResultFormat format = this.format;
		if (format == null) {
			format = new ResultFormat(this.type, this.context.mapper());
			this.format = format;
		}
		return format;
	}

	/**
	 * Returns how results are kept for later duplicates; {@code null} if they are not.
	 */
	public @Nullable ReplayRetention replay() {
		return this.replay;
	}

	/** Returns whether results are kept for later duplicates. */
	public boolean replays() {
		return this.replay != null;
	}

	/**
	 * Returns a collector for emitted values.
	 * @param collects whether it collects any
	 */
	public EmittedValues values(boolean collects) {
		return new EmittedValues(this, output(), collects);
	}

	/** Writes one of many values, and returns whether they may still be shared. */
	boolean writeOne(Object value, BoundedOutput output) {
		try {
			format().writeOne(value, output);
			return true;
		}
		catch (RuntimeException | LinkageError | StackOverflowError ex) {
			reportUnwritten(output, ex);
			return false;
		}
	}

}
