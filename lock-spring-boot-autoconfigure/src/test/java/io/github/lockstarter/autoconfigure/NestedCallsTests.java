package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockDeadlockException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.testing.SharedServers;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

@Timeout(120)
class NestedCallsTests {

	private static final Duration SOON = Duration.ofSeconds(60);

	@AutoClose
	private static final SharedServers servers = new SharedServers();

	private final TestServer server = servers.get(
			new Class<?>[] { TestServer.Application.class, Outer.class, Inner.class, Handlers.class },
			"spring.main.web-application-type=servlet", "lock.store=memory");

	private final Outer outer = this.server.context().getBean(Outer.class);

	private final Inner inner = this.server.context().getBean(Inner.class);

	private final LockRegistry locks = this.server.context().getBean(LockRegistry.class);

	private final LockInspector inspector = this.server.context().getBean(LockInspector.class);

	@AfterEach
	void assertNothingHeld() {
		assertThat(this.inspector.snapshot()).isEmpty();
	}

	@Test
	@DisplayName("An inner call joins the lease of the outer call: it has the same fencing token, and does not release the lock")
	void joins() throws Exception {
		this.outer.a(null, (lease) -> {
			assertThat(this.inner.a(null).fencingToken()).isEqualTo(lease.fencingToken());
			assertThat(this.inner.alsoA(null).fencingToken()).isEqualTo(lease.fencingToken());
			assertThat(lease.isHeld()).isTrue();
			assertHeld("a");
			return null;
		});
		assertFree("a");
	}

	@Test
	@DisplayName("The lease of an inner call ends with the inner call, and the outer lease stays held")
	void endsForInnerCall() throws Exception {
		this.outer.a(null, (lease) -> {
			Lease joined = this.inner.a(null);
			assertThat(joined.isHeld()).isFalse();
			assertThat(joined.remaining()).isZero();
			joined.close();
			assertThat(lease.isHeld()).isTrue();
			return null;
		});
	}

	@Test
	@DisplayName("An asynchronous inner call that outlasts the outer call keeps the lock until it ends")
	void outlastsOuterCall() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.outer.a(null, (lease) -> this.inner.future(work));
		assertHeld("a");
		work.complete("done");
		assertThat(result).succeedsWithin(SOON).isEqualTo("done");
		Awaitility.await().untilAsserted(() -> assertFree("a"));
	}

	@Test
	@DisplayName("A reactive inner call joins through the Reactor context, whichever thread subscribes")
	void joinsReactively() {
		long[] tokens = this.outer
			.reactive((lease) -> Mono.delay(Duration.ofMillis(1))
				.then(this.inner.reactive(null))
				.map((joined) -> new long[] { lease.fencingToken(), joined }))
			.block(SOON);
		assertThat(tokens).isNotNull();
		assertThat(tokens[1]).isEqualTo(tokens[0]);
		assertFree("a");
	}

	@Test
	@DisplayName("An inner call within a lost lease fails without running")
	void lostLease() throws Exception {
		this.outer.a(null, (lease) -> {
			this.inspector.forceRelease(lease.key(), lease.fencingToken());
			assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> this.inner.a(null));
			return null;
		});
	}

	@Test
	@DisplayName("An inner call with SHARE runs; an inner call with replay fails, because it has no lease of its own")
	void sharesAndReplays() throws Exception {
		this.outer.a(null, (lease) -> {
			assertThat(this.inner.share()).isEqualTo("shared");
			return null;
		});
		this.outer.keyed("rejected", () -> {
			assertThatIllegalStateException().isThrownBy(() -> this.inner.replay("rejected"))
				.withMessageContaining("declare the replay on the calling method");
			assertThat(this.inner.replay("kept")).isEqualTo("kept");
			return null;
		});
	}

	@Test
	@DisplayName("A call on another application thread is not an inner call: it is rejected, or waits")
	void otherThread() throws Exception {
		Future<Lease> waiting = this.outer.a(null, (lease) -> {
			Throwable rejection = CompletableFuture.supplyAsync(() -> catchThrowable(() -> this.inner.rejected()))
				.orTimeout(1, TimeUnit.MINUTES)
				.join();
			assertThat(rejection).isInstanceOf(LockConflictException.class);
			FutureTask<Lease> task = new FutureTask<>(() -> this.inner.a(null));
			new Thread(task).start();
			return Optional.of(task);
		}).orElseThrow();
		assertThat(waiting.get(1, TimeUnit.MINUTES)).isNotNull();
	}

	@Test
	@DisplayName("Of two calls that acquire two locks in opposite order, one is rejected at once, and the other runs")
	void oppositeOrder() throws Exception {
		CyclicBarrier bothHold = new CyclicBarrier(2);
		FutureTask<@Nullable Throwable> first = started(() -> this.outer.a(null, (lease) -> {
			bothHold.await(1, TimeUnit.MINUTES);
			return this.inner.b();
		}));
		FutureTask<@Nullable Throwable> second = started(() -> this.outer.b((lease) -> {
			bothHold.await(1, TimeUnit.MINUTES);
			return this.inner.a(null);
		}));
		assertThat(Stream.of(failure(first), failure(second)).flatMap(Optional::stream)).singleElement()
			.isInstanceOfSatisfying(LockDeadlockException.class, (ex) -> {
				String needed = ex.getLockName();
				String held = needed.equals("a") ? "b" : "a";
				assertThat(ex).hasMessage(deadlock(needed, "Inner." + needed, held, "Inner." + held));
				assertThat(ex.getStatusCode().value()).isEqualTo(409);
			});
		assertFree("a");
		assertFree("b");
	}

	@Test
	@DisplayName("A deadlock with a call that acquires several locks is detected")
	void oppositeOrderOfSeveral() throws Exception {
		CompletableFuture<FutureTask<@Nullable Throwable>> several = new CompletableFuture<>();
		Throwable rejection = this.outer.keyed("2", () -> {
			several.complete(started(() -> this.inner.several(List.of("1", "2"))));
			Awaitility.await().until(() -> this.inspector.waiters("keyed") == 1);
			return Optional.ofNullable(catchThrowable(() -> this.inner.keyed("1")));
		}).orElseThrow();
		assertThat(rejection).isInstanceOf(LockDeadlockException.class)
			.hasMessage(deadlock("keyed", "Inner.keyed", "keyed", "Inner.several"));
		assertThat(failure(several.join())).isEmpty();
	}

	@Test
	@DisplayName("A lock that an outer call has released is no part of a deadlock")
	void releasedByOuterCall() throws Exception {
		CompletableFuture<CompletableFuture<String>> waiting = new CompletableFuture<>();
		this.outer.keyed("2", () -> {
			this.outer.keyed("1", () -> {
				Thread thread = new Thread(() -> waiting.complete(this.outer.started("1", this.inner).orElseThrow()));
				thread.start();
				return null;
			});
			Awaitility.await().until(() -> this.inspector.waiters("keyed") == 1);
			assertThat(this.inner.keyed("1")).isEqualTo("1");
			return null;
		});
		assertThat(waiting.get(1, TimeUnit.MINUTES)).succeedsWithin(SOON);
	}

	@Test
	@DisplayName("A deadlock of three calls is detected")
	void deadlockOfThree() throws Exception {
		CyclicBarrier allHold = new CyclicBarrier(3);
		Stream<CompletableFuture<@Nullable Throwable>> calls = Stream
			.of(new String[] { "1", "2" }, new String[] { "2", "3" }, new String[] { "3", "1" })
			.map((keys) -> CompletableFuture.supplyAsync(() -> catchThrowable(() -> this.outer.keyed(keys[0], () -> {
				allHold.await(1, TimeUnit.MINUTES);
				return this.inner.keyed(keys[1]);
			})), (task) -> new Thread(task).start()));
		assertThat(calls.toList()
			.stream()
			.map((call) -> call.orTimeout(1, TimeUnit.MINUTES).join())
			.filter((failure) -> failure != null)).singleElement()
			.isInstanceOf(LockDeadlockException.class)
			.extracting(Throwable::getMessage)
			.isEqualTo(deadlock("keyed", "Inner.keyed", "keyed", "Inner.keyed"));
	}

	private static String deadlock(String needed, String method, String held, String other) {
		return "A wait for lock '%1$s' would be a deadlock: %2$s, or a call around it, holds lock '%3$s', for which %4$s waits. %4$s, directly or through other waiting calls, keeps lock '%1$s' from being released. Acquire the locks in the same order in all methods, or with several annotations on one method"
			.formatted(needed, method, held, other);
	}

	@Test
	@DisplayName("A call for the same request outside the handler's call chain is rejected at once, and the message names both methods")
	void sameRequest() throws Exception {
		String message = response("/request");
		assertThat(message).contains("Inner.a").contains("Handlers.handle").contains("same request");
	}

	@Test
	@DisplayName("A task that Spring MVC runs for a handler belongs to the handler's call chain")
	void taskOfHandler() throws Exception {
		String joined = response("/task");
		assertThat(joined).isEqualTo("true");
	}

	@Test
	@DisplayName("A call of another method with the same lock, on the handler's thread, joins the lease")
	void withinHandler() throws Exception {
		String joined = response("/nested");
		assertThat(joined).isEqualTo("true");
	}

	private String response(String path) throws Exception {
		HttpResponse<String> response = this.server.get(path);
		assertThat(response.statusCode()).isEqualTo(200);
		return response.body();
	}

	/** Starts a call on a thread of its own. */
	private static FutureTask<@Nullable Throwable> started(ThrowingCallable call) {
		FutureTask<@Nullable Throwable> started = new FutureTask<>(() -> catchThrowable(call));
		new Thread(started).start();
		return started;
	}

	private static Optional<Throwable> failure(Future<@Nullable Throwable> call) throws Exception {
		return Optional.ofNullable(call.get(1, TimeUnit.MINUTES));
	}

	private void assertHeld(String lock) {
		assertThat(CompletableFuture.supplyAsync(() -> this.locks.tryAcquire(lock, Duration.ZERO)).join()).isEmpty();
	}

	private void assertFree(String lock) {
		assertThat(this.locks.tryAcquire(lock, Duration.ZERO)).hasValueSatisfying(Lease::close);
	}

	interface Work<T> {

		T under(Lease lease) throws Exception;

	}

	@Component
	static class Outer {

		@ExclusiveRequest(name = "a", waitTime = "10m")
		public <T> T a(@Nullable Lease lease, Work<T> work) throws Exception {
			return work.under(lease);
		}

		@ExclusiveRequest(name = "b", waitTime = "10m")
		public <T> T b(Work<T> work) throws Exception {
			return work.under(null);
		}

		@ExclusiveRequest(name = "a", waitTime = "10m")
		public <T> Mono<T> reactive(Work<Mono<T>> work) {
			return Mono.deferContextual((context) -> {
				try {
					return work.under(context.get(Lease.class));
				}
				catch (Exception ex) {
					return Mono.error(ex);
				}
			});
		}

		/** Returns before the inner call has its lock, and does not cover its work. */
		@ExclusiveRequest(name = "keyed", key = "#key", waitTime = "10m")
		public Optional<CompletableFuture<String>> started(String key, Inner inner) {
			return Optional.of(inner.keyedLater("2"));
		}

		@ExclusiveRequest(name = "keyed", key = "#key", waitTime = "10m")
		public <T> T keyed(String key, Callable<T> work) throws Exception {
			return work.call();
		}

	}

	@Component
	static class Inner {

		@ExclusiveRequest(name = "a", waitTime = "10m")
		public Lease a(@Nullable Lease lease) {
			assertThat(lease).isNotNull();
			assertThat(lease.isHeld()).isTrue();
			return lease;
		}

		@ExclusiveRequest(name = "a", ttl = "1h")
		public Lease alsoA(@Nullable Lease lease) {
			return a(lease);
		}

		@ExclusiveRequest(name = "a")
		public String rejected() {
			return "ran";
		}

		@ExclusiveRequest(name = "b", waitTime = "10m")
		public String b() {
			return "ran";
		}

		@ExclusiveRequest(name = "a", waitTime = "10m")
		public CompletableFuture<String> future(CompletableFuture<String> work) {
			return work;
		}

		@ExclusiveRequest(name = "a", waitTime = "10m")
		public Mono<Long> reactive(@Nullable Lease lease) {
			return Mono.just(lease.fencingToken());
		}

		@ExclusiveRequest(name = "a", onConflict = OnConflict.SHARE)
		public String share() {
			return "shared";
		}

		@ExclusiveRequest(name = "keyed", key = "#id", replay = "1h")
		public String replay(String id) {
			return id;
		}

		@ExclusiveRequest(name = "keyed", key = "#key", waitTime = "10m")
		public String keyed(String key) {
			return key;
		}

		@ExclusiveRequest(name = "keyed", keys = "#keys", waitTime = "10m")
		public void several(List<String> keys) {
		}

		@ExclusiveRequest(name = "keyed", key = "#key", waitTime = "10m")
		public CompletableFuture<String> keyedLater(String key) {
			return CompletableFuture.completedFuture(key);
		}

	}

	@RestController
	static class Handlers {

		private final Inner inner;

		Handlers(Inner inner) {
			this.inner = inner;
		}

		@GetMapping("/request")
		@ExclusiveRequest(name = "a", waitTime = "10m")
		public String handle() {
			RequestAttributes request = RequestContextHolder.currentRequestAttributes();
			return CompletableFuture.supplyAsync(() -> {
				RequestContextHolder.setRequestAttributes(request);
				try {
					return String.valueOf(catchThrowable(() -> this.inner.a(null)));
				}
				finally {
					RequestContextHolder.resetRequestAttributes();
				}
			}).join();
		}

		@GetMapping("/task")
		@ExclusiveRequest(name = "a", waitTime = "10m")
		public Callable<String> task(Lease lease) {
			return () -> Boolean.toString(this.inner.a(null).fencingToken() == lease.fencingToken());
		}

		@GetMapping("/nested")
		@ExclusiveRequest(name = "a", waitTime = "10m")
		public String nested(Lease lease) {
			return Boolean.toString(this.inner.a(null).fencingToken() == lease.fencingToken());
		}

	}

}
