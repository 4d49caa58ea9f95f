package io.github.lockstarter.result;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.ArgumentCaptor;
import org.mockito.Mockito;

import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.unit.DataSize;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.PayloadMismatchException;
import io.github.lockstarter.ResultUnavailableException;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.registry.sharing.SharedLease;
import io.github.lockstarter.registry.sharing.SharingRegistry;
import io.github.lockstarter.registry.sharing.SharingRegistry.LeaseOrResult;
import io.github.lockstarter.result.SharedResult.Response;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;

/**
 * What a call gets that shares or replays results: the lock, the result of another call,
 * or a rejection.
 */
class ReceivedResultsTests {

	private static final LockKey KEY = LockKey.of("lock:1");

	private static final Duration WAIT = Duration.ofHours(1);

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(10)).withWaitTime(WAIT);

	private static final Caller CALLER = new Caller("user alice", "print");

	private static final Executor EXECUTOR = Runnable::run;

	private final LockEventCounter counts = new LockEventCounter();

	private final SharingRegistry registry = Mockito.mock(SharingRegistry.class);

	private final SharedLease lease = Mockito.mock(SharedLease.class);

	private final ResultSharing sharing = of(false, null);

	private final ResultSharing replay = of(false, new ReplayRetention(Duration.ofHours(24), KeptResponses.VALUES));

	private final ResultSharing ofHandler = of(true, new ReplayRetention(Duration.ofHours(24), KeptResponses.ALL));

	private final Deque<LeaseOrResult> stored = new ArrayDeque<>();

	@BeforeEach
	void prepare() {
		Mockito.when(this.registry.acquire(any(), any(), any(), anyLong())).thenAnswer((call) -> next());
		Mockito.when(this.registry.acquireAsync(any(), any(), any(), anyLong(), eq(EXECUTOR)))
			.thenAnswer((call) -> CompletableFuture.completedFuture(next()));
		Mockito.when(this.lease.releaseAsync()).thenReturn(CompletableFuture.completedFuture(null));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A call that is granted the lock runs under its lease, and nothing is counted")
	void granted(boolean async) {
		stored(granted());
		assertThat(acquire(this.sharing, async)).isEqualTo(new Outcome(this.lease, null));
		assertThat(this.counts.lockNames()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A call receives the value of another one, which is counted as shared or replayed")
	void value(boolean async) {
		stored(result(this.sharing.writeValue(CALLER, List.of("one"), null)));
		Outcome expected = new Outcome(null, new SharedResult.Value(List.of("one")));
		assertThat(acquire(this.sharing, async)).isEqualTo(expected);
		assertThat(this.counts.get("lock", Event.SHARED)).isEqualTo(1);
		assertThat(acquire(this.replay, async)).isEqualTo(expected);
		assertThat(this.counts.get("lock", Event.SHARED)).isEqualTo(1);
		assertThat(this.counts.get("lock", Event.REPLAYED)).isEqualTo(1);
	}

	@Test
	@DisplayName("A request receives the response to another one, of whatever kind")
	void response() {
		ResponseHead head = new ResponseHead(201, Map.of("ETag", List.of("1")));
		for (Response response : List.of(Response.withBody(head, "text".getBytes()),
				Response.withBody(head, new byte[] { -1, 0 }), Response.byErrorPage(402, "declined"))) {
			stored(result(this.ofHandler.writeResponse(CALLER, response, null)));
			assertThat(acquire(this.ofHandler, false)).isEqualTo(new Outcome(null, response));
		}
		assertThat(this.counts.get("lock", Event.REPLAYED)).isEqualTo(3);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A call with other content than that of the result is rejected, and nothing is counted as replayed")
	void mismatch(boolean async) {
		stored(result(this.replay.writeValue(new Caller("user alice", "other"), List.of(), null)));
		assertThatExceptionOfType(PayloadMismatchException.class).isThrownBy(() -> acquire(this.replay, async));
		assertThat(this.counts.lockNames()).isEmpty();
		once(async);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A call whose result was not kept is rejected, unless it has other content")
	void unavailable(boolean async) {
		stored(result(ResultText.unavailable("print")));
		assertThatExceptionOfType(ResultUnavailableException.class).isThrownBy(() -> acquire(this.replay, async));
		assertThat(this.counts.lockNames()).isEmpty();
		once(async);
		stored(result(ResultText.unavailable("other")));
		assertThatExceptionOfType(PayloadMismatchException.class).isThrownBy(() -> acquire(this.replay, async));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A call whose replayed result cannot be read is rejected, and does not run")
	void unreadableReplay(boolean async) {
		stored(result("garbage"), granted());
		assertThatExceptionOfType(ResultUnavailableException.class).isThrownBy(() -> acquire(this.replay, async));
		assertThat(this.counts.get("lock", Event.NOT_READABLE)).isEqualTo(1);
		assertThat(this.counts.get("lock", Event.REPLAYED)).isZero();
		once(async);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A call whose shared result cannot be read asks again for a later one, within its wait time")
	void unreadableShared(boolean async) {
		stored(new LeaseOrResult(null, new StoredResult(shareKey(), "garbage", 7)),
				new LeaseOrResult(null, new StoredResult(shareKey(), "garbage", 9)), granted());
		assertThat(acquire(this.sharing, async).lease()).isSameAs(this.lease);
		assertThat(this.counts.get("lock", Event.NOT_READABLE)).isEqualTo(2);
		assertThat(this.counts.get("lock", Event.SHARED)).isZero();
		ArgumentCaptor<LockOptions> options = ArgumentCaptor.captor();
		ArgumentCaptor<Long> since = ArgumentCaptor.captor();
		verifyAsked(async, 3, options, since);
		assertThat(since.getAllValues()).containsExactly(ResultQuery.NO_TOKEN, 8L, 10L);
		List<Duration> waits = options.getAllValues().stream().map(LockOptions::waitTime).toList();
		assertThat(waits.get(0)).isEqualTo(WAIT);
		assertThat(waits.get(1)).isLessThan(WAIT).isPositive();
		assertThat(waits.get(2)).isLessThan(waits.get(1)).isPositive();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("If the wait time is over, it asks again with the shortest one; if it does not wait, so does the repetition")
	void endOfWait(boolean async) {
		LockOptions shortest = OPTIONS.withWaitTime(Duration.ofNanos(1));
		stored(result("garbage"), granted());
		acquire(this.sharing, async, shortest);
		LockOptions none = OPTIONS.withWaitTime(Duration.ZERO);
		stored(result("garbage"), granted());
		acquire(this.sharing, async, none);
		ArgumentCaptor<LockOptions> options = ArgumentCaptor.captor();
		verifyAsked(async, 4, options, ArgumentCaptor.captor());
		assertThat(options.getAllValues()).containsExactly(shortest, OPTIONS.withWaitTime(Duration.ofMillis(1)), none,
				none);
	}

	@Test
	@DisplayName("A shared result is kept briefly for the calls of one method that ask for the same; a replayed one is for its principal and kept as long as declared")
	void keys() {
		stored(granted());
		acquire(this.sharing, false);
		Mockito.verify(this.registry).acquire(KEY, OPTIONS, shareKey(), ResultQuery.NO_TOKEN);
		acquire(this.replay, false);
		Mockito.verify(this.registry)
			.acquire(KEY, OPTIONS, new ResultKey("replay user alice", Duration.ofHours(24), true),
					ResultQuery.ANY_TOKEN);
	}

	@Test
	@DisplayName("An overloaded method does not receive the results of the other one")
	void overloads() {
		ResultSharing other = settings().of("lock", ReflectionUtils.findMethod(Methods.class, "method", int.class),
				new ResultType(Methods.class, ResolvableType.forClass(List.class), false), null);
		ArgumentCaptor<ResultKey> keys = ArgumentCaptor.captor();
		stored(granted());
		acquire(this.sharing, false);
		acquire(other, false);
		Mockito.verify(this.registry, Mockito.times(2)).acquire(any(), any(), keys.capture(), anyLong());
		assertThat(keys.getAllValues()).extracting(ResultKey::name).doesNotHaveDuplicates();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A rejection, and a failure of the store, are passed on as they are")
	void failure(boolean async) {
		LockStoreException failure = new LockStoreException(KEY, "gone", null);
		Mockito.when(this.registry.acquire(any(), any(), any(), anyLong())).thenThrow(failure);
		Mockito.when(this.registry.acquireAsync(any(), any(), any(), anyLong(), any()))
			.thenReturn(CompletableFuture.failedFuture(failure));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> acquire(this.sharing, async))
			.isSameAs(failure);
	}

	@Test
	@DisplayName("If the repeated attempt cannot be made, the call fails, and does not hang")
	void failureOfRepetition() {
		Mockito.when(this.registry.acquireAsync(any(), any(), any(), anyLong(), any()))
			.thenReturn(CompletableFuture.completedFuture(result("garbage")))
			.thenThrow(new IllegalStateException("closed"));
		assertThat(this.sharing.acquireAsync(this.registry, KEY, OPTIONS, CALLER, EXECUTOR)).isCompletedExceptionally();
	}

	@Test
	@DisplayName("The end of a cancelled call ends the attempt that is under way, be it a repeated one")
	void cancelled() {
		CompletableFuture<LeaseOrResult> first = new CompletableFuture<>();
		CompletableFuture<LeaseOrResult> second = new CompletableFuture<>();
		Mockito.when(this.registry.acquireAsync(any(), any(), any(), anyLong(), any())).thenReturn(first, second);
		CompletableFuture<Outcome> call = this.sharing.acquireAsync(this.registry, KEY, OPTIONS, CALLER, EXECUTOR);
		first.complete(result("garbage"));
		assertThat(second).isNotDone();
		call.cancel(false);
		assertThat(second).isCancelled();
	}

	@Test
	@DisplayName("A lease that is granted in the moment in which the call is cancelled is released")
	void grantedTooLate() {
		CompletableFuture<LeaseOrResult> attempt = new CompletableFuture<>() {

			@Override
			public boolean cancel(boolean mayInterruptIfRunning) {
				return complete(granted());
			}

		};
		Mockito.when(this.registry.acquireAsync(any(), any(), any(), anyLong(), any())).thenReturn(attempt);
		this.sharing.acquireAsync(this.registry, KEY, OPTIONS, CALLER, EXECUTOR).cancel(false);
		Mockito.verify(this.lease).releaseAsync();
	}

	@Test
	@DisplayName("A registry that cannot share results is an error, and the message names its class")
	void otherRegistry() {
		LockRegistry other = Mockito.mock(LockRegistry.class);
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> this.sharing.acquire(other, KEY, OPTIONS, CALLER))
			.withMessageContaining(other.getClass().getName() + " cannot share results");
	}

	private Outcome acquire(ResultSharing results, boolean async) {
		return acquire(results, async, OPTIONS);
	}

	private Outcome acquire(ResultSharing results, boolean async, LockOptions options) {
		if (!async) {
			return results.acquire(this.registry, KEY, options, CALLER);
		}
		try {
			return results.acquireAsync(this.registry, KEY, options, CALLER, EXECUTOR).getNow(null);
		}
		catch (CompletionException ex) {
			throw (RuntimeException) ex.getCause();
		}
	}

	/** Lets the registry give these, the last one for ever. */
	private void stored(LeaseOrResult... acquired) {
		this.stored.clear();
		this.stored.addAll(List.of(acquired));
	}

	private LeaseOrResult next() {
		return (this.stored.size() > 1) ? this.stored.remove() : this.stored.peek();
	}

	private void once(boolean async) {
		verifyAsked(async, 1, ArgumentCaptor.captor(), ArgumentCaptor.captor());
	}

	private void verifyAsked(boolean async, int times, ArgumentCaptor<LockOptions> options,
			ArgumentCaptor<Long> since) {
		SharingRegistry asked = Mockito.verify(this.registry, Mockito.times(times));
		if (async) {
			asked.acquireAsync(eq(KEY), options.capture(), any(), since.capture(), eq(EXECUTOR));
		}
		else {
			asked.acquire(eq(KEY), options.capture(), any(), since.capture());
		}
	}

	private LeaseOrResult granted() {
		return new LeaseOrResult(this.lease, null);
	}

	private static LeaseOrResult result(String text) {
		return new LeaseOrResult(null, new StoredResult(shareKey(), text, 1));
	}

	private static ResultKey shareKey() {
		return new ResultKey("share " + Methods.class.getName() + ".method[class java.lang.String] user alice",
				Duration.ofSeconds(5), false);
	}

	private ResultSharing of(boolean ofHandler, @Nullable ReplayRetention replay) {
		return settings().of("lock", ReflectionUtils.findMethod(Methods.class, "method", String.class),
				new ResultType(Methods.class, ResolvableType.forClass(List.class), false, ofHandler, true), replay);
	}

	private SharingSettings settings() {
		return new SharingSettings(Duration.ofSeconds(5), DataSize.ofKilobytes(64),
				new TestSharingContext(this.counts));
	}

	static class Methods {

		List<String> method(String argument) {
			return List.of();
		}

		List<String> method(int argument) {
			return List.of();
		}

	}

}
