package io.github.lockstarter.interceptor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockDeadlockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.LeaseContext;
import io.github.lockstarter.completion.ReleaseOn;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.result.Caller;
import io.github.lockstarter.result.Outcome;
import io.github.lockstarter.result.ReplayedResponseException;
import io.github.lockstarter.result.ResultSharing;
import io.github.lockstarter.result.SharedCall;
import io.github.lockstarter.result.SharedResult;
import io.github.lockstarter.result.SharedResult.Response;
import io.github.lockstarter.operation.TestOperations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.ArgumentMatchers.any;

/**
 * One call of an annotated method, from its leases to their release.
 */
class LockedCallTests {

	private static final Way PROCEED = (call) -> call.proceed(call.evaluateLocks().acquire());

	private static final Response DECLINED = Response.byErrorPage(402, "declined");

	private final FakeRegistry registry = new FakeRegistry();

	private final LastRuns lastRuns = new LastRuns();

	private final LockOperationSource operations = TestOperations.source();

	private final RequestSupport requests = Mockito.mock(RequestSupport.class);

	private final RequestHandling handling = Mockito.mock(RequestHandling.class);

	private final ResultSharing results = Mockito.mock(ResultSharing.class);

	private ReleaseOn releaseOn = ReleaseOn.METHOD;

	private int innerAdvice;

	/** What the inner advice does. */
	private Runnable inner = () -> {
	};

	private final Work target = new Work(this.registry.released);

	LockedCallTests() {
		Mockito.when(this.requests.currentRequest()).thenReturn(CurrentRequest.NONE);
	}

	@AfterEach
	void noLeasesOnThread() {
		assertThat(LeaseContext.snapshot()).isEmpty();
	}

	@Test
	@DisplayName("The method runs under its leases, which are on the thread meanwhile, and are released afterwards")
	void underLeases() {
		assertThat(work(PROCEED).plain("1", null)).isEqualTo("done");
		assertThat(this.target.runs).singleElement().satisfies((run) -> {
			assertThat(run.lease()).isSameAs(this.registry.lease("a:1"));
			assertThat(run.leases()).isNotNull();
			assertThat(run.leases().leases()).containsExactly(this.registry.lease("a:1"));
			assertThat(run.released()).isZero();
		});
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("A lease that the caller passes is left as it is")
	void leaseOfCaller() {
		Lease passed = Mockito.mock(Lease.class);
		work(PROCEED).plain("1", passed);
		assertThat(this.target.runs.get(0).lease()).isSameAs(passed);
	}

	@Test
	@DisplayName("If the method fails, its exception is passed on unchanged, and the leases are released")
	void failure() {
		assertThatIllegalArgumentException().isThrownBy(() -> work(PROCEED).failing("1")).isSameAs(this.target.failure);
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("If the response to the failure may be kept, they are held until it is known")
	void keptFailure() {
		Mockito.when(this.results.sharesResponses()).thenReturn(true);
		Mockito.when(this.results.keepsResponseTo(this.target.failure)).thenReturn(true);
		Mockito.when(this.handling.notifiesOfResponse()).thenReturn(true);
		HeldLeases[] leases = new HeldLeases[1];
		assertThatIllegalArgumentException().isThrownBy(() -> work((call) -> {
			leases[0] = sharing(call);
			leases[0].result().expectResponse(this.handling);
			return call.proceed(leases[0]);
		}).failing("1"));
		assertThat(this.registry.released).isEmpty();
		leases[0].requestEnded();
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("If a lease was lost before, the method does not run, and the lease is given back unused")
	void lost() {
		Mockito.when(this.registry.lease("a:1").isHeld()).thenReturn(false);
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> work(PROCEED).plain("1", null));
		assertThat(this.target.runs).isEmpty();
		assertThat(this.registry.released).contains("unused a:1");
	}

	@Test
	@DisplayName("A stage keeps the leases until it is complete")
	void stage() {
		CompletableFuture<String> returned = work(PROCEED).stage("1");
		assertThat(this.registry.released).isEmpty();
		this.target.later.complete("done");
		assertThat(returned).isCompletedWithValue("done");
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("A skipped call returns nothing, in the form of its return type, and does not run")
	void skipped() {
		Way skip = (call) -> call.proceed(HeldLeases.ofSkippedCall(call.method().method()));
		assertThat(work(skip).plain("1", null)).isNull();
		assertThat(work(skip).optional("1")).isEmpty();
		assertThat(work(skip).stage("1")).isCompletedWithValue(null);
		assertThat(this.target.runs).isEmpty();
	}

	@Test
	@DisplayName("A call that received the value of another one returns it, in the form of its return type, and does not run")
	void receivedValue() {
		Way receive = (call) -> call.proceed(received(call, new SharedResult.Value("other")));
		assertThat(work(receive).plain("1", null)).isEqualTo("other");
		assertThat(work(receive).stage("1")).isCompletedWithValue("other");
		assertThat(this.target.runs).isEmpty();
	}

	@Test
	@DisplayName("A call that received a response fails with it, and the request of a handler is marked as replayed")
	void receivedResponse() {
		Way receive = (call) -> call.proceed(received(call, DECLINED));
		assertThatExceptionOfType(ReplayedResponseException.class).isThrownBy(() -> work(receive).plain("1", null))
			.satisfies((replayed) -> assertThat(replayed.response()).isSameAs(DECLINED));
		handle();
		assertThatExceptionOfType(ReplayedResponseException.class).isThrownBy(() -> work(receive).plain("1", null));
		Mockito.verify(this.handling).replay(DECLINED);
		assertThat(this.target.runs).isEmpty();
	}

	@Test
	@DisplayName("A method that is called later may be called several times, each time with its lease and through the other advice, which finds it on the thread")
	void later() {
		HeldLeases[] leases = new HeldLeases[2];
		work((call) -> {
			for (int i = 0; i < 2; i++) {
				leases[i] = call.evaluateLocks().acquire();
				this.inner = ExposeInvocationInterceptor::currentInvocation;
				assertThat(call.runLater(leases[i])).isEqualTo("done");
			}
			return null;
		}).plain("1", null);
		assertThat(this.innerAdvice).isEqualTo(2);
		assertThat(this.target.runs).extracting(Run::leases).containsExactly(leases);
		assertThat(this.target.runs).extracting(Run::lease).doesNotContainNull();
		assertThat(this.registry.released).isEmpty();
	}

	@Test
	@DisplayName("A method that is called later releases the leases with its work")
	void proceedLater() {
		work((call) -> call.proceedLater(call.evaluateLocks().acquire())).plain("1", null);
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("Without a Spring proxy, a method cannot be called later, and the leases are released")
	void withoutProxy() {
		MethodInvocation invocation = Mockito.mock(MethodInvocation.class);
		Mockito.when(invocation.getArguments()).thenReturn(new Object[] { "1", null });
		LockedCall call = call(invocation, "plain");
		assertThat(call.isOutermostOf(this.target)).isFalse();
		assertThat(call.isRetried()).isFalse();
		HeldLeases leases = call.evaluateLocks().acquire();
		assertThatIllegalStateException().isThrownBy(() -> call.proceedLater(leases));
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("An inner call on the thread joins the lease of the outer one")
	void innerCall() {
		HeldLeases outer = this.registry.held(method("plain"), "a:1");
		LeaseContext.push(outer);
		try {
			work(PROCEED).plain("1", null);
		}
		finally {
			LeaseContext.pop();
		}
		assertThat(this.registry.asked).isEmpty();
		assertThat(this.registry.released).isEmpty();
		assertThat(this.target.runs.get(0).lease().key()).isEqualTo(LockKey.of("a:1"));
	}

	@Test
	@DisplayName("A handler joins the leases of the handlers whose dispatch encloses its own")
	void enclosing() {
		handle();
		List<HeldLeases> enclosing = List.of(this.registry.held(method("plain"), "a:1"));
		Mockito.when(this.handling.enclosing()).thenReturn(enclosing);
		work(PROCEED).plain("1", null);
		assertThat(this.registry.asked).isEmpty();
	}

	@Test
	@DisplayName("Outside of its handler's chain, a call for the same request may not wait for the handler's lock; one that does not wait asks for it")
	void sameRequest() {
		HeldLeases ofHandler = this.registry.held(method("plain"), "a:1");
		Mockito.when(this.requests.leases()).thenReturn(ofHandler);
		assertThatExceptionOfType(LockDeadlockException.class).isThrownBy(() -> work(PROCEED).waiting("1"));
		assertThat(this.registry.asked).isEmpty();
		work(PROCEED).plain("1", null);
		assertThat(this.registry.asked).hasSize(1);
		handle();
		work(PROCEED).waiting("1");
		assertThat(this.registry.asked).hasSize(2);
	}

	@Test
	@DisplayName("Leases of outer calls of a subscription are joined, too")
	void outerOfSubscription() {
		HeldLeases outer = this.registry.held(method("plain"), "a:1");
		work((call) -> call
			.proceed(call.evaluateLocks().acquireAsync(Runnable::run, List.of(outer), ReleaseOn.METHOD).join()))
			.plain("1", null);
		assertThat(this.registry.asked).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("Leases that cover the response are held until the end of the request")
	void untilResponse(boolean async) {
		HeldLeases[] leases = new HeldLeases[1];
		this.releaseOn = ReleaseOn.RESPONSE;
		handle();
		work((call) -> {
			leases[0] = async ? call.acquireAsync(Runnable::run).join() : call.evaluateLocks().acquire();
			return call.proceed(leases[0]);
		}).plain("1", null);
		assertThat(this.registry.released).isEmpty();
		leases[0].requestEnded();
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("Leases of a call that no request handles are released after its work, even if leases cover responses")
	void noResponse() {
		this.releaseOn = ReleaseOn.RESPONSE;
		work(PROCEED).plain("1", null);
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("A handler that replays reads the content of its request; one that other code calls does not, because that content is not for it")
	void content() {
		CurrentRequest request = Mockito.mock(CurrentRequest.class);
		Mockito.when(this.requests.currentRequest()).thenReturn(request);
		Mockito.when(request.headers(any())).thenReturn(List.of());
		Mockito.when(request.headers("Idempotency-Key")).thenReturn(List.of("1"));
		work(PROCEED).replayed();
		Mockito.verify(request, Mockito.never()).content();
		handle();
		work(PROCEED).replayed();
		Mockito.verify(request).content();
	}

	@Test
	@DisplayName("Outside of a request, a key that reads it is missing for that reason, also that of a handler that replays")
	void outsideOfRequest() {
		for (Consumer<Work> method : List.<Consumer<Work>>of(Work::ofHeader, Work::replayed)) {
			assertThatExceptionOfType(MissingLockKeyException.class).isThrownBy(() -> method.accept(work(PROCEED)))
				.withMessageContaining("reads the HTTP request, but this call belongs to none");
		}
	}

	@Test
	@DisplayName("A response is awaited if it may be kept, and the framework notifies of it")
	void respond() {
		Mockito.when(this.results.sharesResponses()).thenReturn(true);
		for (boolean notifies : new boolean[] { false, true }) {
			Mockito.when(this.handling.notifiesOfResponse()).thenReturn(notifies);
			work((call) -> {
				assertThat(sharing(call).result().expectResponse(this.handling)).isEqualTo(notifies);
				assertThat(this.registry.held(call.method(), "a:1").result().expectResponse(this.handling)).isFalse();
				return null;
			}).plain("1", null);
		}
	}

	@Test
	@DisplayName("The last run is recorded of calls that may be skipped, and of no others")
	void lastRun() {
		work(PROCEED).plain("1", null);
		assertThat(this.lastRuns.byLockName()).isEmpty();
		work(PROCEED).skipping("1");
		assertThat(this.lastRuns.byLockName()).containsOnlyKeys("b");
	}

	private void handle() {
		Mockito.when(this.requests.handling(any())).thenReturn(this.handling);
	}

	private HeldLeases sharing(LockedCall call) {
		Outcome granted = new Outcome(this.registry.lease("a:1"), null);
		return HeldLeases.of(call.method().method(), granted, new SharedCall(this.results, Caller.ANY),
				ReleaseOn.METHOD);
	}

	private HeldLeases received(LockedCall call, SharedResult result) {
		return HeldLeases.of(call.method().method(), new Outcome(null, result),
				new SharedCall(this.results, Caller.ANY), ReleaseOn.METHOD);
	}

	private LockedMethod method(String name) {
		return TestOperations.find(this.operations, Work.class, name);
	}

	private LockedCall call(MethodInvocation invocation, String name) {
		LockedMethod method = method(name);
		InterceptorContext context = this.registry.context(new CallerTasks(() -> Runnable::run, List::of),
				this.lastRuns, this.releaseOn);
		return new LockedCall(invocation, method, context,
				CallOrigin.of(method, this.requests, this.requests.handling(method)));
	}

	private Work work(Way way) {
		ProxyFactory factory = new ProxyFactory(this.target);
		factory.setProxyTargetClass(true);
		factory
			.addAdvice((MethodInterceptor) (invocation) -> way.on(call(invocation, invocation.getMethod().getName())));
		factory.addAdvice((MethodInterceptor) (invocation) -> {
			this.innerAdvice++;
			this.inner.run();
			return invocation.proceed();
		});
		return (Work) factory.getProxy();
	}

	private interface Way {

		@Nullable Object on(LockedCall call) throws Throwable;

	}

	/** What a method saw when it ran. */
	private record Run(@Nullable Lease lease, @Nullable HeldLeases leases, int released) {
	}

	@Controller
	static class Work {

		private final List<Run> runs = new ArrayList<>();

		private final List<String> released;

		private final IllegalArgumentException failure = new IllegalArgumentException();

		private final CompletableFuture<String> later = new CompletableFuture<>();

		Work(List<String> released) {
			this.released = released;
		}

		@ExclusiveRequest(name = "a", key = "#key")
		public @Nullable String plain(String key, @Nullable Lease lease) {
			this.runs.add(new Run(lease, LeaseContext.innermost(), this.released.size()));
			return "done";
		}

		@ExclusiveRequest(name = "a", key = "#key")
		public String failing(String key) {
			throw this.failure;
		}

		@ExclusiveRequest(name = "a", key = "#key")
		public Optional<String> optional(String key) {
			plain(key, null);
			return Optional.of("done");
		}

		@ExclusiveRequest(name = "a", key = "#key")
		public CompletableFuture<String> stage(String key) {
			plain(key, null);
			return this.later;
		}

		@ExclusiveRequest(name = "a", key = "#key", waitTime = "1h")
		public void waiting(String key) {
		}

		@ExclusiveRequest(name = "a", key = "header('Idempotency-Key')")
		public void ofHeader() {
		}

		@PostMapping("/")
		@ResponseBody
		@ExclusiveRequest(name = "a", key = "header('Idempotency-Key')", replay = "1h")
		public String replayed() {
			return "done";
		}

		@ExclusiveRequest(name = "b", key = "#key", onConflict = OnConflict.SKIP)
		public void skipping(String key) {
		}

	}

}
