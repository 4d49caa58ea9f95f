package io.github.lockstarter.interceptor;

import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.reactivex.rxjava3.core.Single;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.ArgumentCaptor;
import org.mockito.Mockito;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.http.ResponseEntity;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.ReleaseOn;
import io.github.lockstarter.completion.RequestCompletion;
import io.github.lockstarter.interceptor.ReactiveRequestSupport.Request;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.operation.LockOperationSource;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.result.ReplayedResponseException;
import io.github.lockstarter.result.ResponseHead;
import io.github.lockstarter.result.SharedCall;
import io.github.lockstarter.result.SharedResult.Response;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.operation.TestOperations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;

/**
 * Reactive methods, which acquire their locks for each subscription, and for the request
 * of the subscriber if there is one.
 */
class ReactiveCallsTests {

	private static final Response PAID = Response.withBody(new ResponseHead(201, Map.of()), new byte[0]);

	private final FakeRegistry registry = new FakeRegistry();

	private final InterceptorContext context = this.registry.context(new CallerTasks(() -> Runnable::run, List::of),
			new LastRuns());

	private final LockOperationSource operations = TestOperations.source();

	/** The request of the thread that calls the proxy. */
	private final RequestSupport ofThread = Mockito.mock(RequestSupport.class);

	private final CurrentRequest onThread = Mockito.mock(CurrentRequest.class);

	private final RequestHandling handling = Mockito.mock(RequestHandling.class);

	/** The request of the subscriber. */
	private final ReactiveRequestSupport requests = Mockito.mock(ReactiveRequestSupport.class);

	private final Request request = Mockito.mock(Request.class);

	private final CurrentRequest current = Mockito.mock(CurrentRequest.class);

	private final RequestCompletion end = new RequestCompletion();

	private ReleaseOn releaseOn = ReleaseOn.METHOD;

	private final Work target = new Work();

	private final Work work = proxy();

	@BeforeEach
	void outsideOfRequest() {
		Mockito.when(this.ofThread.currentRequest()).thenReturn(CurrentRequest.NONE);
	}

	@AfterEach
	void nobody() {
		SecurityContextHolder.clearContext();
	}

	@Test
	@DisplayName("Each subscription acquires the lock, runs the method and releases the lock; without one, nothing happens")
	void eachSubscription() {
		Mono<String> result = this.work.mono("1");
		assertThat(this.registry.asked).isEmpty();
		for (int i = 1; i <= 2; i++) {
			assertThat(result.block()).isEqualTo("done");
			assertThat(this.registry.asked).hasSize(i);
			assertThat(this.registry.released).hasSize(i);
			assertThat(this.target.runs).hasSize(i);
		}
		assertThat(this.target.runs).containsOnly(this.registry.lease("a:1"));
	}

	@Test
	@DisplayName("The lock is held until the last value, and all values are passed on")
	void many() {
		List<Integer> released = this.work.flux("1")
			.map((value) -> this.registry.released.size())
			.collectList()
			.block();
		assertThat(released).containsExactly(0, 0);
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("So it is by a method that returns another reactive type, which is returned as such")
	void otherType() {
		Single<String> single = this.work.single("1");
		assertThat(this.registry.asked).isEmpty();
		assertThat(single.blockingGet()).isEqualTo("done");
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("A method that returns nothing has ended, without a value")
	void noPublisher() {
		assertThat(this.work.none("1").blockOptional()).isEmpty();
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("A rejection, and an exception of the method, are signals of the subscription")
	void failures() {
		assertThatIllegalArgumentException().isThrownBy(this.work.failing("1")::block);
		assertThat(this.registry.released).containsExactly("a:1");
		this.registry.hold("a:1");
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(this.work.mono("1")::block);
		assertThat(this.target.runs).isEmpty();
	}

	@Test
	@DisplayName("A call within the subscription of another one joins its lock")
	void outerCall() {
		HeldLeases outer = this.registry.held(method("mono"), "a:1");
		Mono<String> inner = this.work.mono("1").contextWrite((to) -> to.put(HeldLeases.class, List.of(outer)));
		assertThat(inner.block()).isEqualTo("done");
		assertThat(this.registry.asked).isEmpty();
		assertThat(this.registry.released).isEmpty();
	}

	@Test
	@DisplayName("A cancelled subscription ends the wait, and gives back a lock that is granted all the same")
	void cancelled() {
		CompletableFuture<Lease> pending = this.registry.pend("a:1", new CompletableFuture<>());
		this.work.mono("1").subscribe().dispose();
		assertThat(pending).isCancelled();
		CompletableFuture<Lease> late = this.registry.pend("a:1", new CompletableFuture<>() {
			@Override
			public boolean cancel(boolean mayInterruptIfRunning) {
				return false;
			}
		});
		this.work.mono("1").subscribe().dispose();
		late.complete(this.registry.lease("a:1"));
		assertThat(this.registry.released).containsExactly("unused a:1");
		assertThat(this.target.runs).isEmpty();
	}

	@Test
	@DisplayName("A subscription that is cancelled during the work releases the lock")
	void cancelledWork() {
		Disposable subscription = this.work.never("1").subscribe();
		assertThat(this.registry.released).isEmpty();
		subscription.dispose();
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@Test
	@DisplayName("What the key reads of the request of the thread is read at the call, not at the subscription; it fails at that")
	void requestOfThread() {
		Mockito.when(this.ofThread.currentRequest()).thenReturn(this.onThread);
		Mockito.when(this.onThread.param("id")).thenReturn("1").thenReturn("2").thenReturn(null);
		Mono<String> first = this.work.ofParam();
		Mono<String> second = this.work.ofParam();
		Mono<String> third = this.work.ofParam();
		second.block();
		first.block();
		first.block();
		assertThat(this.registry.asked).containsExactly(keys("a:2"), keys("a:1"), keys("a:1"));
		assertThatExceptionOfType(MissingLockKeyException.class).isThrownBy(third::block);
	}

	@Test
	@DisplayName("Outside of a request, the key is that of the arguments at each subscription")
	void arguments() {
		List<String> parts = new ArrayList<>(List.of("1"));
		Mono<String> result = this.work.ofList(parts);
		result.block();
		parts.set(0, "2");
		result.block();
		assertThat(this.registry.asked).containsExactly(keys("a:1"), keys("a:2"));
	}

	@Test
	@DisplayName("The principal is that of the subscriber, or otherwise that of the thread of the call")
	void principal() {
		authenticate("caller");
		Mono<String> result = this.work.ofPrincipal();
		authenticate("other");
		result.block();
		result.contextWrite(ReactiveSecurityContextHolder.withAuthentication(authentication("subscriber"))).block();
		assertThat(this.registry.asked).containsExactly(keys("a:caller"), keys("a:subscriber"));
	}

	@Test
	@DisplayName("In the request of the subscriber, the key is read of that, and the principal and the body only if they are needed")
	void requestOfSubscriber() {
		subscribeInRequest(true);
		Mockito.when(this.ofThread.currentRequest()).thenReturn(this.onThread);
		Mockito.when(this.onThread.param("id")).thenReturn("1");
		Mockito.when(this.current.param("id")).thenReturn("2");
		this.work.ofParam().block();
		assertThat(this.registry.asked).containsExactly(keys("a:2"));
		Mockito.verify(this.request).current(false, false);
		Principal principal = authentication("subscriber");
		Mockito.when(this.current.principal()).thenReturn(principal);
		this.work.ofPrincipal().block();
		assertThat(this.registry.asked).endsWith(keys("a:subscriber"));
		Mockito.verify(this.request).current(true, false);
		this.work.replayed().block();
		Mockito.verify(this.request).current(true, true);
	}

	@Test
	@DisplayName("Of a call that is not the handler, the body is not read: it is not what that was asked for")
	void bodyOfHandler() {
		subscribeInRequest(false);
		this.work.replayed().block();
		Mockito.verify(this.request).current(true, false);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("The locks of the handler are those of its request, and cover the response if that is so configured")
	void handler(boolean covered) {
		this.releaseOn = covered ? ReleaseOn.RESPONSE : ReleaseOn.METHOD;
		subscribeInRequest(true);
		proxy().mono("1").block();
		assertThat(this.end.hasLeases()).isTrue();
		assertThat(this.registry.released).hasSize(covered ? 0 : 1);
		this.end.reached();
		assertThat(this.registry.released).containsExactly("a:1");
		Mockito.verify(this.request).callAgain();
		Mockito.verify(this.request, Mockito.never()).replay(any());
	}

	@Test
	@DisplayName("Those of another call are released with its work, and do not touch the response")
	void notHandler() {
		this.releaseOn = ReleaseOn.RESPONSE;
		subscribeInRequest(false);
		proxy().mono("1").block();
		assertThat(this.end.hasLeases()).isFalse();
		assertThat(this.registry.released).containsExactly("a:1");
		Mockito.verify(this.request, Mockito.never()).callAgain();
	}

	@Test
	@DisplayName("So are those of a handler whose request notifies of no end")
	void withoutEnd() {
		this.releaseOn = ReleaseOn.RESPONSE;
		subscribeInRequest(true);
		Mockito.when(this.request.end()).thenReturn(null);
		proxy().mono("1").block();
		assertThat(this.registry.released).containsExactly("a:1");
		this.registry.hold("a:1");
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(this.work.mono("1")::block);
	}

	@Test
	@DisplayName("A handler of the thread's request leaves its locks to that, and is called again")
	void handlerOfThread() {
		this.releaseOn = ReleaseOn.RESPONSE;
		handleOnThread();
		Mono<String> result = proxy().mono("1");
		Mockito.verify(this.handling, Mockito.never()).callAgain();
		result.block();
		Mockito.verify(this.handling).callAgain();
		assertThat(this.registry.released).isEmpty();
		this.end.reached();
		assertThat(this.registry.released).containsExactly("a:1");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("If the response is kept for others, the lock is held until it is known")
	void keptResponse(boolean onThread) {
		if (onThread) {
			handleOnThread();
			Mockito.when(this.handling.notifiesOfResponse()).thenReturn(true);
		}
		else {
			subscribeInRequest(true);
			Mockito.when(this.request.notifiesOfResponse()).thenReturn(true);
		}
		this.work.replayed().block();
		assertThat(this.end.awaitsResponse()).isTrue();
		assertThat(this.registry.released).isEmpty();
		this.end.responded(PAID);
		assertThat(this.registry.released).containsExactly("with result a:1");
	}

	@Test
	@DisplayName("A handler whose request got a kept response emits nothing, and does not run")
	void replayed() {
		subscribeInRequest(true);
		keep(PAID);
		Mockito.when(this.request.replay(PAID)).thenReturn(true);
		assertThat(this.work.replayed().blockOptional()).isEmpty();
		assertThat(this.target.runs).isEmpty();
	}

	@Test
	@DisplayName("If it did not, the kept response is a signal; so it is for a call that is not the handler, and does not touch the request")
	void replayedLater() {
		subscribeInRequest(true);
		keep(PAID);
		assertThatExceptionOfType(ReplayedResponseException.class).isThrownBy(this.work.replayed()::block);
		Mockito.verify(this.request).replay(PAID);
		Mockito.clearInvocations(this.request);
		subscribeInRequest(false);
		Mockito.when(this.request.replay(any())).thenReturn(true);
		assertThatExceptionOfType(ReplayedResponseException.class).isThrownBy(this.work.replayed()::block);
		Mockito.verify(this.request, Mockito.never()).replay(any());
		assertThat(this.target.runs).isEmpty();
	}

	@Test
	@DisplayName("A handler whose lock is held emits nothing if the conflict becomes the response, when that is sent")
	void responded() {
		subscribeInRequest(true);
		this.registry.hold("a:1");
		boolean[] written = new boolean[1];
		Mockito.when(this.request.respond(any(), any())).thenReturn(Mono.fromRunnable(() -> written[0] = true));
		assertThat(this.work.mono("1").blockOptional()).isEmpty();
		assertThat(written).containsExactly(true);
		ArgumentCaptor<LockedCall> call = ArgumentCaptor.captor();
		Mockito.verify(this.request).respond(any(), call.capture());
		assertThat(call.getValue().method()).isSameAs(method("mono"));
	}

	@Test
	@DisplayName("It receives the conflict if its request is left to it, or it calls itself; and so does another call")
	void notResponded() {
		subscribeInRequest(true);
		this.registry.hold("a:1");
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(this.work.mono("1")::block);
		Mockito.when(this.request.respond(any(), any())).thenReturn(Mono.empty());
		subscribeInRequest(false);
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(this.work.mono("1")::block);
		subscribeInRequest(true);
		this.end.add(this.registry.held(method("mono"), "b:1"));
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(this.work.mono("1")::block);
		Mockito.verify(this.request).respond(any(), any());
	}

	@Test
	@DisplayName("The observation of the subscriber is the parent of the attempt, and ends with it")
	void observation() {
		ObservationRegistry observations = ObservationRegistry.create();
		observations.observationConfig().observationHandler((any) -> true);
		Observation observation = Observation.start("subscriber", observations);
		List<@Nullable Observation> current = new ArrayList<>();
		this.registry.meanwhile = () -> current.add(observations.getCurrentObservation());
		Mono<String> result = this.work.mono("1");
		result.contextWrite((to) -> to.put(ObservationThreadLocalAccessor.KEY, observation)).block();
		assertThat(current).containsExactly(observation);
		assertThat(observations.getCurrentObservation()).isNull();
	}

	@Test
	@DisplayName("The method continues on the event loop of its request, or on a thread that may be blocked only if that of the subscriber may")
	void threads() {
		assertThat(mayBlockAfterGrant(Schedulers.parallel())).isFalse();
		assertThat(mayBlockAfterGrant(Schedulers.boundedElastic())).isTrue();
		Executor eventLoop = Runnable::run;
		subscribeInRequest(true);
		Mockito.when(this.request.eventLoop()).thenReturn(eventLoop);
		this.work.mono("1").block();
		assertThat(this.registry.executor).isSameAs(eventLoop);
	}

	@Test
	@DisplayName("A handler of an entity has a placeholder, whose subscription calls it under its lock; it may return none")
	void entity() {
		ResponseEntity<String> placeholder = ResponseEntity.accepted().build();
		ArgumentCaptor<Mono<?>> entity = ArgumentCaptor.captor();
		Mockito.when(this.requests.deferred(entity.capture())).thenReturn(placeholder);
		assertThat(this.work.entity("1")).isSameAs(placeholder);
		assertThat(this.registry.asked).isEmpty();
		assertThat(entity.getValue().block()).isEqualTo(ResponseEntity.ok("done"));
		assertThat(this.registry.released).containsExactly("a:1");
		this.work.entity("none");
		assertThat(entity.getValue().blockOptional()).isEmpty();
		assertThat(this.registry.released).hasSize(2);
	}

	@Test
	@DisplayName("In its request, the lock covers the body of the entity, too")
	void bodyOfEntity() {
		subscribeInRequest(true);
		ArgumentCaptor<Mono<ResponseEntity<Flux<String>>>> entity = ArgumentCaptor.captor();
		Mockito.when(this.requests.deferred(entity.capture())).thenReturn(ResponseEntity.accepted().build());
		this.work.entityOfFlux("1");
		ResponseEntity<Flux<String>> emitted = entity.getValue().block();
		assertThat(this.registry.released).isEmpty();
		assertThat(emitted.getBody().collectList().block()).containsExactly("one", "two");
		assertThat(this.registry.released).containsExactly("a:1");
	}

	/** Lets the subscriber be in a request. */
	private void subscribeInRequest(boolean handler) {
		Mockito.when(this.requests.find(any())).thenReturn(this.request);
		Mockito.when(this.request.current(anyBoolean(), anyBoolean())).thenReturn(Mono.just(this.current));
		Mockito.when(this.request.end()).thenReturn(this.end);
		Mockito.when(this.request.isHandledBy(any())).thenReturn(handler);
	}

	private void handleOnThread() {
		Mockito.when(this.ofThread.currentRequest()).thenReturn(this.onThread);
		Mockito.when(this.ofThread.handling(any())).thenReturn(this.handling);
		Mockito.when(this.handling.end()).thenReturn(this.end);
	}

	/** Lets the store have the response to an earlier request. */
	private void keep(Response response) {
		LockedMethod method = method("replayed");
		SharedCall sharing = method.operations()
			.get(0)
			.shared(LockKey.of("a:1"), method.invocation(new Object[0], this.current));
		String text = sharing.results().writeResponse(sharing.caller(), response, null);
		this.registry.result = new StoredResult(new ResultKey("any", Duration.ofHours(1), true), text, 1);
	}

	private boolean mayBlockAfterGrant(Scheduler ofSubscriber) {
		this.work.mono("1").subscribeOn(ofSubscriber).block();
		Executor executor = this.registry.executor;
		assertThat(executor).isNotNull();
		return CompletableFuture.supplyAsync(() -> !Schedulers.isInNonBlockingThread(), executor).join();
	}

	private LockedMethod method(String name) {
		return TestOperations.find(this.operations, Work.class, name);
	}

	private static List<LockKey> keys(String key) {
		return List.of(LockKey.of(key));
	}

	private static void authenticate(String name) {
		SecurityContextHolder.setContext(new SecurityContextImpl(authentication(name)));
	}

	private static TestingAuthenticationToken authentication(String name) {
		return new TestingAuthenticationToken(name, "", "ROLE_USER");
	}

	private Work proxy() {
		ReactiveCalls calls = new ReactiveCalls(this.requests, this.releaseOn);
		ProxyFactory factory = new ProxyFactory(this.target);
		factory.setProxyTargetClass(true);
		factory.addAdvice((MethodInterceptor) (invocation) -> {
			LockedMethod method = method(invocation.getMethod().getName());
			LockedCall call = new LockedCall(invocation, method, this.context,
					CallOrigin.of(method, this.ofThread, this.ofThread.handling(method)));
			return call.method().isHandlerOfEntity() ? calls.callLaterForEntity(call, this.requests)
					: calls.callLater(call);
		});
		return (Work) factory.getProxy();
	}

	@RestController
	static class Work {

		/** The lease of each run. */
		private final List<@Nullable Lease> runs = new ArrayList<>();

		@ExclusiveRequest(name = "a", key = "#key")
		public Mono<String> mono(String key) {
			return run();
		}

		private Mono<String> run() {
			return Mono.deferContextual((context) -> {
				this.runs.add(context.getOrDefault(Lease.class, null));
				return Mono.just("done");
			});
		}

		@ExclusiveRequest(name = "a", key = "#key")
		public Flux<String> flux(String key) {
			return Flux.just("one", "two");
		}

		@ExclusiveRequest(name = "a", key = "#key")
		public Single<String> single(String key) {
			return Single.just("done");
		}

		@ExclusiveRequest(name = "a", key = "#key")
		public @Nullable Mono<String> none(String key) {
			return null;
		}

		@ExclusiveRequest(name = "a", key = "#key")
		public Mono<String> never(String key) {
			return Mono.never();
		}

		@ExclusiveRequest(name = "a", key = "#key")
		public Mono<String> failing(String key) {
			throw new IllegalArgumentException();
		}

		@ExclusiveRequest(name = "a", key = "param('id')")
		public Mono<String> ofParam() {
			return run();
		}

		@ExclusiveRequest(name = "a", key = "#parts[0]")
		public Mono<String> ofList(List<String> parts) {
			return run();
		}

		@ExclusiveRequest(name = "a", key = "principal.name")
		public Mono<String> ofPrincipal() {
			return run();
		}

		@PostMapping("/")
		@ExclusiveRequest(name = "a", key = "'1'", replay = "1h")
		public Mono<String> replayed() {
			return run();
		}

		@ExclusiveRequest(name = "a", key = "#key")
		public @Nullable ResponseEntity<String> entity(String key) {
			return key.equals("none") ? null : ResponseEntity.ok("done");
		}

		@ExclusiveRequest(name = "a", key = "#key")
		public ResponseEntity<Flux<String>> entityOfFlux(String key) {
			return ResponseEntity.ok(flux(key));
		}

	}

}
