package io.github.lockstarter.actuate;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.interceptor.LastRuns;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.registry.entry.LockSnapshot;
import io.github.lockstarter.store.SearchLimit;

/**
 * Endpoint that shows the holders and waiters of this instance and the counted events. A
 * delete operation ends the lease on a lock. It requires unrestricted access, as with
 * {@code management.endpoint.locks.access=unrestricted}.
 */
@WebEndpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public class LocksEndpoint {

	private static final Log logger = LogFactory.getLog(LocksEndpoint.class);

	/** The process and its host, as in {@code 4711@host}. */
	private static final String INSTANCE = ManagementFactory.getRuntimeMXBean().getName();

	private final LockInspector locks;

	private final LockCounts counts;

	private final LastRuns runs;

	private final Show showKeys;

	private final Set<String> roles;

	/**
	 * Creates an endpoint.
	 * @param locks the current holders and waiters
	 * @param counts the counted events
	 * @param runs the last runs of methods whose calls may be skipped
	 * @param showKeys whether keys are shown instead of their digests
	 * @param roles the roles that see keys if these are shown when authorized; empty for
	 * all authenticated users
	 */
	public LocksEndpoint(LockInspector locks, LockCounts counts, LastRuns runs, Show showKeys, Set<String> roles) {
		this.locks = locks;
		this.counts = counts;
		this.runs = runs;
		this.showKeys = showKeys;
		this.roles = roles;
	}

	/**
	 * Returns the locks of this instance.
	 * @param securityContext the user
	 * @return the locks with a holder or waiters in this instance, the oldest lease
	 * first, and the totals by name
	 */
	@ReadOperation
	public Locks locks(SecurityContext securityContext) {
		boolean shown = this.showKeys.isShown(securityContext, this.roles);
		Instant now = Instant.now();
		List<LockDescriptor> locks = this.locks.snapshot()
			.stream()
			.sorted(Comparator.comparing(LocksEndpoint::age).reversed())
			.map((lock) -> lock(lock, shown, now))
			.toList();
		Map<String, Map<String, Long>> totals = new TreeMap<>();
		this.counts.lockNames().forEach((name) -> totals.put(name, totals(name)));
		return new Locks(INSTANCE, locks, this.runs.byLockName(), totals);
	}

	/**
	 * Returns the locks of this instance with a name, and the number of their stored
	 * results, for which the store may have to search.
	 * @param securityContext the user
	 * @param name the name of the locks
	 * @return the locks; not found if the name is unknown; service unavailable if the
	 * store does not answer
	 */
	@ReadOperation
	public WebEndpointResponse<NamedLocks> locksOfName(SecurityContext securityContext, @Selector String name) {
		Locks all = locks(securityContext);
		List<LockDescriptor> locks = all.locks().stream().filter((lock) -> lock.name().equals(name)).toList();
		Map<String, Long> totals = all.totals().getOrDefault(name, Map.of());
		return respond(this.locks.results(name).map((results) -> results.count(name)),
				(count) -> (locks.isEmpty() && totals.isEmpty() && (count == null || count == 0)) ? null
						: new NamedLocks(locks, totals, count));
	}

	/**
	 * Removes the stored results of the locks with a name, so that duplicates run again.
	 * @param name the name of the locks
	 * @param part {@code results}
	 * @return the number of removed results; not found if the store cannot list its
	 * results; service unavailable if it does not answer
	 */
	@DeleteOperation
	public WebEndpointResponse<Removed> removeResults(@Selector String name, @Selector String part) {
		return respond(part.equals("results") ? this.locks.results(name).map((results) -> results.remove(name))
				: Optional.empty(), (count) -> (count != null) ? new Removed(count) : null);
	}

	private static <T> WebEndpointResponse<T> respond(Optional<CompletionStage<Long>> asked,
			Function<@Nullable Long, @Nullable T> body) {
		try {
			Long count = asked.isPresent()
					? asked.get().toCompletableFuture().get(SearchLimit.LONGEST.toSeconds(), TimeUnit.SECONDS) : null;
			T content = body.apply(count);
			return (content != null) ? new WebEndpointResponse<>(content)
					: new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.warn("The stored results could not be counted or removed", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return new WebEndpointResponse<>(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
	}

	/**
	 * Ends the lease of this instance on a lock, as if it was lost.
	 * @param name the name of the lock
	 * @param key its key or the digest of the key; absent for a lock that has only a name
	 * @param fencingToken the fencing token of the lease; absent for any lease
	 * @return no content, or not found if this instance does not hold it
	 */
	@DeleteOperation
	public WebEndpointResponse<Void> release(@Selector String name, @Nullable String key, @Nullable Long fencingToken) {
		String wanted = (key != null) ? key : "";
		boolean released = this.locks.snapshot()
			.stream()
			.filter((lock) -> isOf(lock.key(), name, wanted))
			.findFirst()
			.map((lock) -> release(lock, fencingToken))
			.orElse(false);
		return new WebEndpointResponse<>(
				released ? WebEndpointResponse.STATUS_NO_CONTENT : WebEndpointResponse.STATUS_NOT_FOUND);
	}

	private static boolean isOf(LockKey lock, String name, String key) {
		return lock.name().equals(name) && (lock.key().equals(key) || digest(lock).equals(key));
	}

	private boolean release(LockSnapshot lock, @Nullable Long fencingToken) {
		LockSnapshot.Holder held = lock.held();
		return held != null && (fencingToken == null || fencingToken == held.fencingToken())
				&& this.locks.forceRelease(lock.key(), held.fencingToken()).toCompletableFuture().join();
	}

	private static Duration age(LockSnapshot lock) {
		LockSnapshot.Holder held = lock.held();
		return (held != null) ? held.age() : Duration.ZERO;
	}

	private static LockDescriptor lock(LockSnapshot lock, boolean shown, Instant now) {
		LeaseDescriptor held = Optional.ofNullable(lock.held())
			.map((lease) -> new LeaseDescriptor(now.minus(lease.age()), lease.remaining().toMillis(),
					lease.fencingToken(), lease.request()))
			.orElse(null);
		List<WaiterDescriptor> waiting = lock.waiting()
			.stream()
			.map((waiter) -> new WaiterDescriptor(now.minus(waiter.age()), waiter.request()))
			.toList();
		return new LockDescriptor(lock.key().name(), shown ? lock.key().key() : digest(lock.key()), held, waiting);
	}

	private static String digest(LockKey lock) {
		return lock.key().isEmpty() ? "" : LockKey.ofDigest(lock.name(), lock.key()).key();
	}

	private Map<String, Long> totals(String name) {
		Map<String, Long> totals = new LinkedHashMap<>();
		Arrays.stream(Event.values()).forEach((event) -> totals.put(event.label(), this.counts.get(name, event)));
		return totals;
	}

	/**
	 * The response of the endpoint.
	 *
	 * @param instance the process and its host
	 * @param locks the locks with a holder or waiters in this instance
	 * @param lastRuns the last runs, in this instance, of methods whose calls may be
	 * skipped, by the name of the lock
	 * @param totals the counts of events since startup, by the name of the lock
	 */
	public record Locks(String instance, Collection<LockDescriptor> locks, Map<String, LastRuns.Run> lastRuns,
			Map<String, Map<String, Long>> totals) {
	}

	/**
	 * The response of the endpoint for one name.
	 *
	 * @param locks the locks with a holder or waiters in this instance
	 * @param totals the counts of events since startup
	 * @param storedResults the number of results that all instances have stored for later
	 * duplicates; absent if the store cannot list them
	 */
	public record NamedLocks(Collection<LockDescriptor> locks, Map<String, Long> totals, @Nullable Long storedResults) {
	}

	/**
	 * The response to a removal.
	 *
	 * @param removed the number of removed results
	 */
	public record Removed(long removed) {
	}

	/**
	 * A lock.
	 *
	 * @param name the name of the lock
	 * @param key the key of the lock, or the digest of the key
	 * @param held the lease that this instance holds, if any
	 * @param waiting the waiters in this instance, the next one first
	 */
	public record LockDescriptor(String name, String key, @Nullable LeaseDescriptor held,
			List<WaiterDescriptor> waiting) {
	}

	/**
	 * A lease.
	 *
	 * @param since the time of the grant
	 * @param remainingMillis the remaining time if the lease is not renewed
	 * @param fencingToken the fencing token
	 * @param request the request that holds the lock, if known
	 */
	public record LeaseDescriptor(Instant since, long remainingMillis, long fencingToken, @Nullable String request) {
	}

	/**
	 * A waiter.
	 *
	 * @param since the time of its arrival
	 * @param request the request that waits, if known
	 */
	public record WaiterDescriptor(Instant since, @Nullable String request) {
	}

}
