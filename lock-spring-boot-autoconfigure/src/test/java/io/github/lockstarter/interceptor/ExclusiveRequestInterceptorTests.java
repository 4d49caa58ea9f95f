package io.github.lockstarter.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;
import org.mockito.InOrder;
import org.mockito.Mockito;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.http.ResponseEntity;
import org.springframework.resilience.retry.MethodRetrySpec;
import org.springframework.resilience.retry.SimpleRetryInterceptor;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.LeaseContext;
import io.github.lockstarter.completion.ReleaseOn;
import io.github.lockstarter.completion.RequestCompletion;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.key.RequestContent;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.result.Caller;
import io.github.lockstarter.result.Outcome;
import io.github.lockstarter.result.ResultSharing;
import io.github.lockstarter.result.SharedCall;
import io.github.lockstarter.operation.TestOperations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;

/**
 * Which way a call acquires its locks: on its thread, without one, for each subscription,
 * or as the web framework decides.
 */
class ExclusiveRequestInterceptorTests {

	private final FakeRegistry registry = new FakeRegistry();

	private final List<Runnable> tasks = new ArrayList<>();

	private final LockOperationSource operations = TestOperations.source();

	private final RequestSupport requests = Mockito.mock(RequestSupport.class);

	private final CurrentRequest request = Mockito.mock(CurrentRequest.class);

	private final RequestHandling handling = Mockito.mock(RequestHandling.class);

	private final Work target = new Work();

	private int contexts;

	private Executor executor = this.tasks::add;

	private @Nullable ReactiveRequestSupport reactive;

	private ReleaseOn releaseOn = ReleaseOn.METHOD;

	private final ExclusiveRequestInterceptor interceptor = new ExclusiveRequestInterceptor(this.operations, () -> {
		this.contexts++;
		return this.registry.context(new CallerTasks(() -> this.executor, List::of), new LastRuns(), this.releaseOn);
	}, () -> this.requests, () -> this.reactive);

	private final Work work = proxy(advisor());

	@BeforeEach
	void outsideOfRequest() {
		Mockito.when(this.requests.currentRequest()).thenReturn(CurrentRequest.NONE);
	}

	@Test
	@DisplayName("A method that returns a value acquires its lock on the thread")
	void value() {
		assertThat(this.work.value("1")).isEqualTo("done");
		assertThat(this.registry.asynchronous).isZero();
		assertThat(this.registry.released).containsExactly("a:1");
		this.registry.hold("a:1");
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> this.work.value("1"));
		assertThat(this.target.runs).isEqualTo(1);
	}

	@Test
	@DisplayName("The context of calls is created at the first one, once")
	void context() {
		assertThat(this.contexts).isZero();
		this.work.value("1");
		this.work.value("1");
		assertThat(this.contexts).isEqualTo(1);
	}

	@Test
	@DisplayName("A reactive method is called, under its lock, for each subscription, and not before")
	void reactive() {
		Mono<String> result = this.work.mono("1");
		assertThat(this.registry.asked).isEmpty();
		assertThat(this.target.runs).isZero();
		for (int i = 1; i <= 2; i++) {
			assertThat(result.block()).isEqualTo("done");
			assertThat(this.registry.asynchronous).isEqualTo(i);
			assertThat(this.target.runs).isEqualTo(i);
			assertThat(this.registry.released).hasSize(i);
		}
	}

	@Test
	@DisplayName("In a request of its subscriber, it is the handler of that, and its lock covers the response if that is so configured")
	void reactiveHandler() {
		RequestCompletion end = new RequestCompletion();
		ReactiveRequestSupport.Request request = Mockito.mock(ReactiveRequestSupport.Request.class);
		Mockito.when(request.current(anyBoolean(), anyBoolean())).thenReturn(Mono.just(this.request));
		Mockito.when(request.isHandledBy(any())).thenReturn(true);
		Mockito.when(request.end()).thenReturn(end);
		this.reactive = Mockito.mock(ReactiveRequestSupport.class);
		Mockito.when(this.reactive.find(any())).thenReturn(request);
		this.releaseOn = ReleaseOn.RESPONSE;
		assertThat(this.work.mono("1").block()).isEqualTo("done");
		assertThat(this.registry.released).isEmpty();
		end.reached();
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("A method that returns a stage, and does not wait, acquires its lock on the thread")
	void stage() {
		CompletableFuture<String> stage = this.work.stage("1");
		assertThat(this.registry.asynchronous).isZero();
		assertThat(stage).isNotDone();
		this.target.later.complete("done");
		assertThat(stage).isCompletedWithValue("done");
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("If it waits, and the lock is granted at once, it is called on the thread all the same")
	void stageGrantedAtOnce() {
		CompletableFuture<String> stage = this.work.waitingStage("1");
		assertThat(this.registry.asynchronous).isEqualTo(1);
		assertThat(this.target.thread).isSameAs(Thread.currentThread());
		this.target.later.complete("done");
		assertThat(stage).isCompletedWithValue("done");
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("On an event loop, a method that returns a value fails, and a stage does not wait there")
	void eventLoop() {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> onEventLoop(() -> this.work.value("1")))
			.withMessageContaining("must not wait for the store");
		assertThat(this.registry.asked).isEmpty();
		assertThat(onEventLoop(() -> this.work.stage("1"))).isNotDone();
		assertThat(this.registry.asynchronous).isEqualTo(1);
		assertThat(this.target.runs).isEqualTo(1);
		CompletableFuture<Lease> granted = this.registry.grantWhileWaiting("a:1");
		assertThat(onEventLoop(() -> {
			this.work.stage("1");
			return granted.cancel(false);
		})).isTrue();
	}

	@Test
	@DisplayName("A handler acquires its locks as its web framework decides, and is called under them")
	void handler() throws Exception {
		handle();
		HeldLeases leases = grantToHandler();
		assertThat(this.work.value("1")).isEqualTo("done");
		assertThat(this.registry.asked).isEmpty();
		InOrder order = Mockito.inOrder(this.handling);
		order.verify(this.handling).callAgain();
		order.verify(this.handling).acquire(any(), any());
		order.verify(this.handling).callUnder(leases);
		Mockito.verify(this.handling, Mockito.never()).releaseAtEnd(any());
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("If the locks cover the response, they are released at the end of the request")
	void handlerUntilResponse() throws Exception {
		this.releaseOn = ReleaseOn.RESPONSE;
		handle();
		HeldLeases leases = grantToHandler();
		this.work.value("1");
		Mockito.verify(this.handling).acquire(any(), any());
		Mockito.verify(this.handling).releaseAtEnd(leases);
	}

	@Test
	@DisplayName("So are those of a handler whose response is kept for others")
	void handlerWithKeptResponse() throws Exception {
		ResultSharing results = Mockito.mock(ResultSharing.class);
		Mockito.when(results.sharesResponses()).thenReturn(true);
		Mockito.when(this.handling.notifiesOfResponse()).thenReturn(true);
		handle();
		HeldLeases leases = HeldLeases.of(method("value").method(), new Outcome(this.registry.lease("a:1"), null),
				new SharedCall(results, Caller.ANY), ReleaseOn.METHOD);
		Mockito.when(this.handling.acquire(any(), any())).thenReturn(leases);
		this.work.value("1");
		InOrder order = Mockito.inOrder(this.handling);
		order.verify(this.handling).releaseAtEnd(leases);
		order.verify(this.handling).callUnder(leases);
		assertThat(this.registry.released).isEmpty();
	}

	@Test
	@DisplayName("A handler whose request has waited without a thread is called under the leases of that wait, and nothing is evaluated for it again")
	void handlerResumed() throws Exception {
		handle();
		HeldLeases leases = held();
		Mockito.when(this.handling.takeResumed(any())).thenReturn(leases);
		assertThat(this.work.value("1")).isEqualTo("done");
		Mockito.verify(this.handling).callUnder(leases);
		Mockito.verify(this.handling, Mockito.never()).acquire(any(), any());
		Mockito.verify(this.handling, Mockito.never()).callAgain();
		Mockito.verify(this.requests, Mockito.never()).currentRequest();
	}

	@Test
	@DisplayName("Also a handler that returns a reactive type or a stage acquires its locks as the framework decides")
	void otherHandlers() throws Exception {
		handle();
		grantToHandler();
		this.work.mono("1");
		this.work.waitingStage("1");
		Mockito.verify(this.handling, Mockito.times(2)).acquire(any(), any());
		assertThat(this.registry.asked).isEmpty();
	}

	@Test
	@DisplayName("A handler of an entity gets a placeholder in a reactive application, and acquires its lock when that is subscribed")
	void entity() {
		ResponseEntity<String> placeholder = ResponseEntity.accepted().build();
		ReactiveRequestSupport reactive = Mockito.mock(ReactiveRequestSupport.class);
		ArgumentCaptor<Mono<?>> entity = ArgumentCaptor.captor();
		Mockito.when(reactive.deferred(entity.capture())).thenReturn(placeholder);
		this.reactive = reactive;
		assertThat(this.work.entity("1")).isSameAs(placeholder);
		assertThat(this.registry.asked).isEmpty();
		assertThat(entity.getValue().block()).isEqualTo(ResponseEntity.ok("done"));
		assertThat(this.registry.asynchronous).isEqualTo(1);
		assertThat(this.work.value("1")).isEqualTo("done");
		assertThat(this.registry.asynchronous).isEqualTo(1);
	}

	@Test
	@DisplayName("In another application, it acquires its lock on the thread")
	void entityOnThread() {
		assertThat(this.work.entity("1")).isEqualTo(ResponseEntity.ok("done"));
		assertThat(this.registry.asynchronous).isZero();
	}

	@Test
	@DisplayName("A call of a method that has no lock on its target fails, and does not run")
	void notAnnotated() throws Throwable {
		MethodInvocation invocation = Mockito.mock(MethodInvocation.class);
		Mockito.when(invocation.getMethod()).thenReturn(TestOperations.method(Work.class, "value"));
		Mockito.when(invocation.getThis()).thenReturn(new Object());
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> this.interceptor.invoke(invocation))
			.withMessageContaining("Work.value(java.lang.String) is called on a java.lang.Object");
		Mockito.verify(invocation, Mockito.never()).proceed();
	}

	@Test
	@DisplayName("A call without a target is found by the interface that declares it")
	void withoutTarget() throws Throwable {
		MethodInvocation invocation = Mockito.mock(MethodInvocation.class);
		Mockito.when(invocation.getMethod()).thenReturn(TestOperations.method(Client.class, "send"));
		Mockito.when(invocation.getArguments()).thenReturn(new Object[0]);
		Mockito.when(invocation.proceed()).thenReturn("sent");
		assertThat(this.interceptor.invoke(invocation)).isEqualTo("sent");
		assertThat(this.registry.released).containsExactly("client:");
	}

	@Test
	@DisplayName("A call knows whether advice outside of its lock repeats it, and whether its lock is the outermost advice")
	void otherAdvice() throws Exception {
		Advisor retry = new DefaultPointcutAdvisor(
				new SimpleRetryInterceptor(new MethodRetrySpec((method, failure) -> true, 1, Duration.ofMillis(1))));
		handle();
		grantToHandler();
		Work retried = proxy(retry, advisor());
		LockedCall ofRetried = callOf(retried);
		assertThat(ofRetried.isRetried()).isTrue();
		assertThat(ofRetried.isOutermostOf(retried)).isFalse();
		Work retrying = proxy(advisor(), retry);
		LockedCall ofRetrying = callOf(retrying);
		assertThat(ofRetrying.isRetried()).isFalse();
		assertThat(ofRetrying.isOutermostOf(retrying)).isTrue();
		assertThat(ofRetrying.isOutermostOf(proxy(advisor()))).isFalse();
	}

	@Test
	@DisplayName("Locks before the arguments are those of the request, in the chain of enclosing handlers")
	void early() {
		this.releaseOn = ReleaseOn.RESPONSE;
		Mockito.when(this.requests.currentRequest()).thenReturn(this.request);
		Mockito.when(this.request.param("id")).thenReturn("1");
		LockAcquisition early = this.interceptor.early(method("ofParam"), new Object[1], List.of());
		assertThat(early).isNotNull();
		HeldLeases leases = early.acquire();
		assertThat(leases.leases()).containsExactly(this.registry.lease("a:1"));
		leases.end();
		assertThat(this.registry.released).isEmpty();
		LockAcquisition nested = this.interceptor.early(method("ofParam"), new Object[1], List.of(held()));
		nested.acquire();
		assertThat(this.registry.asked).hasSize(1);
	}

	@Test
	@DisplayName("They join the locks of a handler that has dispatched the request on the same thread")
	void earlyWithin() {
		Mockito.when(this.requests.currentRequest()).thenReturn(this.request);
		Mockito.when(this.request.param("id")).thenReturn("1");
		LeaseContext.push(held());
		try {
			this.interceptor.early(method("ofParam"), new Object[1], List.of()).acquire();
		}
		finally {
			LeaseContext.pop();
		}
		assertThat(this.registry.asked).isEmpty();
	}

	@Test
	@DisplayName("If their keys have no value yet, they are left to the call of the handler")
	void notEarly() {
		Mockito.when(this.requests.currentRequest()).thenReturn(this.request);
		assertThat(this.interceptor.early(method("ofParam"), new Object[1], List.of())).isNull();
		Mockito.when(this.request.param("id")).thenThrow(new IllegalStateException("as asked"));
		assertThat(this.interceptor.early(method("ofParam"), new Object[1], List.of())).isNull();
	}

	@Test
	@DisplayName("A handler that compares requests acquires its lock before the arguments only if the content is known")
	void earlyContent() {
		Mockito.when(this.requests.currentRequest()).thenReturn(this.request);
		Mockito.when(this.request.param("id")).thenReturn("1");
		Mockito.when(this.request.headers(any())).thenReturn(List.of());
		assertThat(this.interceptor.early(method("replayed"), new Object[1], List.of())).isNull();
		Mockito.when(this.request.content())
			.thenReturn(new RequestContent("POST", Map.of(), Map.of(), RequestContent.Body.EMPTY, List.of()));
		assertThat(this.interceptor.early(method("replayed"), new Object[1], List.of())).isNotNull();
	}

	@Test
	@DisplayName("An exception of the method is passed on, whichever way it acquires its lock")
	void failure() throws Exception {
		assertThatIllegalArgumentException().isThrownBy(() -> this.work.failing("1"));
		handle();
		grantToHandler();
		assertThatIllegalArgumentException().isThrownBy(() -> this.work.failing("1"));
		assertThat(this.registry.released).containsExactly("a:1", "a:1");
	}

	private void handle() {
		Mockito.when(this.requests.handling(any())).thenReturn(this.handling);
	}

	private HeldLeases grantToHandler() throws Exception {
		HeldLeases leases = held();
		Mockito.when(this.handling.acquire(any(), any())).thenReturn(leases);
		return leases;
	}

	private HeldLeases held() {
		return this.registry.held(method("value"), "a:1");
	}

	private LockedCall callOf(Work proxy) throws Exception {
		ArgumentCaptor<LockedCall> call = ArgumentCaptor.captor();
		proxy.value("1");
		Mockito.verify(this.handling, Mockito.atLeastOnce()).acquire(call.capture(), any());
		return call.getValue();
	}

	private LockedMethod method(String name) {
		return TestOperations.find(this.operations, Work.class, name);
	}

	private Advisor advisor() {
		return new ExclusiveRequestAdvisor(this.operations, this.interceptor, () -> 0);
	}

	private Work proxy(Advisor... advisors) {
		ProxyFactory factory = new ProxyFactory(this.target);
		factory.setProxyTargetClass(true);
		factory.addAdvisors(advisors);
		return (Work) factory.getProxy();
	}

	private static <T> T onEventLoop(Supplier<T> call) {
		return Mono.fromSupplier(call).subscribeOn(Schedulers.parallel()).block();
	}

	interface Client {

		@ExclusiveRequest(name = "client")
		String send();

	}

	@Controller
	static class Work {

		private final CompletableFuture<String> later = new CompletableFuture<>();

		private int runs;

		private @Nullable Thread thread;

		private String run() {
			this.runs++;
			this.thread = Thread.currentThread();
			return "done";
		}

		@ExclusiveRequest(name = "a", key = "#key")
		public String value(String key) {
			return run();
		}

		@ExclusiveRequest(name = "a", key = "#key")
		public String failing(String key) {
			throw new IllegalArgumentException();
		}

		@ExclusiveRequest(name = "a", key = "#key")
		public Mono<String> mono(String key) {
			return Mono.just(run());
		}

		@ExclusiveRequest(name = "a", key = "#key")
		public CompletableFuture<String> stage(String key) {
			run();
			return this.later;
		}

		@ExclusiveRequest(name = "a", key = "#key", onConflict = OnConflict.WAIT)
		public CompletableFuture<String> waitingStage(String key) {
			run();
			return this.later;
		}

		@ExclusiveRequest(name = "a", key = "#key")
		public ResponseEntity<String> entity(String key) {
			return ResponseEntity.ok(run());
		}

		@ExclusiveRequest(name = "a", key = "param('id')")
		public String ofParam(String body) {
			return run();
		}

		@PostMapping("/replayed")
		@ResponseBody
		@ExclusiveRequest(name = "a", key = "param('id')", replay = "1h")
		public String replayed(String body) {
			return run();
		}

	}

}
