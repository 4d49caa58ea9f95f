package io.github.lockstarter.operation;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.reactivex.rxjava3.core.Single;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.ParallelFlux;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.annotation.Inherited;
import io.github.lockstarter.completion.ReleaseOn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Methods that would run without their lock, or under another one than their annotation
 * suggests.
 */
class LockOperationValidatorTests {

	private final LockOperationSource operations = TestOperations.source();

	private final LockOperationValidator validator = new LockOperationValidator(this.operations);

	@ParameterizedTest
	@ValueSource(classes = { MisspeltVariable.class, ForgottenHash.class, PrivateMethod.class, FinalMethod.class,
			StaticMethod.class, PlainFuture.class, OwnFuture.class, OwnFutureOfEntity.class, JavaStream.class,
			CallableOfService.class, EmitterOfService.class, ReactiveEntityOfService.class, Parallel.class,
			RecordOfPublisher.class, EnumOfPublisher.class, BadTtl.class, ZeroTtl.class, LeaseInKey.class,
			LeaseInCondition.class, InheritedPrivateMethod.class, InheritedFinalMethod.class,
			FinalUnderAnnotatedClass.class, PackagePrivateElsewhere.class, NegativeWait.class, BadStatus.class,
			BadName.class, FinalClass.class, SkippedHandler.class, SkippedExchange.class, SkippedPrimitive.class,
			SkippedNonNull.class })
	@DisplayName("A method that cannot be locked as declared fails startup, and the message names it")
	void invalid(Class<?> type) {
		Class<?> declaring = (type.getSuperclass() != Object.class) ? type.getSuperclass() : type;
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> this.operations.of(type))
			.withMessageContaining(declaring.getSimpleName() + ".method");
	}

	@ParameterizedTest
	@ValueSource(classes = { SkippedVoid.class, SkippedOptional.class, SkippedFuture.class, SkippedNullable.class,
			SkippedClient.class, FinalClassOfInterface.class, OverriddenInPackage.class, ProtectedElsewhere.class })
	@DisplayName("A method that a proxy can guard is accepted; a skipped one needs a result that can be empty")
	void accepted(Class<?> type) {
		assertThat(this.operations.of(type)).hasSize(1);
	}

	@Test
	@DisplayName("The message names the primitive type for which a skipped call has no value")
	void skippedPrimitive() {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> this.operations.of(SkippedPrimitive.class))
			.withMessageContaining("SKIP has no int to return");
	}

	@Test
	@DisplayName("A proxy of interfaces needs all annotated methods in them, but not those that only an annotated class covers")
	void proxyOfInterfaces() {
		Class<?>[] task = { Callable.class, Task.class };
		assertThatNoException().isThrownBy(() -> this.validator.checkProxy(OfInterface.class, task));
		assertThatNoException().isThrownBy(() -> this.validator.checkProxy(CoveredBesideInterface.class, task));
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> this.validator.checkProxy(BesideInterface.class, task))
			.withMessageContaining("BesideInterface.other")
			.withMessageContaining("none of the interfaces [java.util.concurrent.Callable, " + Task.class.getName());
	}

	@Test
	@DisplayName("A proxy must not call an annotated method of an object that is no bean, unless a proxy in between has its lock")
	void target() {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> this.validator.checkTarget(OfInterface.class, Task.class, List.of()))
			.withMessageContaining("OfInterface.work: the bean is a proxy that calls this method");
		assertThatNoException()
			.isThrownBy(() -> this.validator.checkTarget(OfInterface.class, Task.class, List.of(OfInterface.class)));
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> this.validator.checkTarget(OfInterface.class, Task.class, List.of(Object.class)));
		assertThatNoException()
			.isThrownBy(() -> this.validator.checkTarget(OfInterface.class, Runnable.class, List.of()));
		assertThatNoException().isThrownBy(() -> this.validator.checkTarget(Object.class, Task.class, List.of()));
	}

	@Test
	@DisplayName("A parameter for the lease needs a lock on its handler")
	void leaseParameter() {
		assertThatNoException().isThrownBy(
				() -> this.validator.checkLeaseParameter(TestOperations.method(Leases.class, "locked"), Leases.class));
		assertThatNoException().isThrownBy(
				() -> this.validator.checkLeaseParameter(TestOperations.method(Leases.class, "none"), Leases.class));
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> this.validator.checkLeaseParameter(TestOperations.method(Leases.class, "forgotten"),
					Leases.class))
			.withMessageContaining("Leases.forgotten");
	}

	@ParameterizedTest
	@ValueSource(strings = { "mono", "entity", "plain", "notLocked" })
	@DisplayName("A handler of WebFlux is accepted if it can read its request, or needs nothing of it")
	void reactiveHandler(String method) {
		assertThatNoException().isThrownBy(() -> this.validator
			.checkReactiveHandler(TestOperations.method(Handlers.class, method), Handlers.class, ReleaseOn.METHOD));
	}

	@ParameterizedTest
	@ValueSource(strings = { "plainOfHeader", "futureOfPrincipal", "rxOfHeader" })
	@DisplayName("One that needs its request, and has no access to it, fails startup")
	void withoutRequest(String method) {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> this.validator.checkReactiveHandler(TestOperations.method(Handlers.class, method),
					Handlers.class, ReleaseOn.METHOD))
			.withMessageContaining("Handlers." + method)
			.withMessageContaining("an expression, or what is shared, depends on it");
	}

	@Test
	@DisplayName("So does one whose lock covers a response that it does not know, and one whose work is in the body of a later entity")
	void withoutResponse() {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> this.validator.checkReactiveHandler(TestOperations.method(Handlers.class, "plain"),
					Handlers.class, ReleaseOn.RESPONSE))
			.withMessageContaining("lock.web.release-on is response");
		assertThatNoException().isThrownBy(() -> this.validator
			.checkReactiveHandler(TestOperations.method(Handlers.class, "mono"), Handlers.class, ReleaseOn.RESPONSE));
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> this.validator.checkReactiveHandler(TestOperations.method(Handlers.class, "laterEntity"),
					Handlers.class, ReleaseOn.METHOD))
			.withMessageContaining("the lock would end before the body of the entity");
	}

	@Test
	@DisplayName("Results that cannot be written and read fail startup when all methods are known")
	void sharing() {
		this.operations.of(Shared.class);
		assertThatNoException().isThrownBy(this.validator::checkSharing);
		this.operations.of(Unshareable.class);
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(this.validator::checkSharing)
			.withMessageContaining("Unshareable.method");
	}

	interface Task {

		void work();

	}

	static class OfInterface implements Task {

		@Override
		@ExclusiveRequest
		public void work() {
		}

	}

	static class BesideInterface extends OfInterface {

		@ExclusiveRequest
		public void other() {
		}

	}

	@ExclusiveRequest
	static class CoveredBesideInterface implements Task {

		@Override
		public void work() {
		}

		public void other() {
		}

	}

	static class Leases {

		@ExclusiveRequest
		public void locked(Lease lease) {
		}

		public void forgotten(Lease lease) {
		}

		public void none(String other) {
		}

	}

	@RestController
	static class Handlers {

		@ExclusiveRequest(name = "a", key = "header('X-Id')")
		public Mono<String> mono() {
			return Mono.just("done");
		}

		@ExclusiveRequest(name = "a", key = "header('X-Id')")
		public ResponseEntity<String> entity() {
			return ResponseEntity.ok("done");
		}

		@ExclusiveRequest(name = "a", key = "#id")
		public String plain(String id) {
			return "done";
		}

		public String notLocked() {
			return "done";
		}

		@ExclusiveRequest(name = "a", key = "header('X-Id')")
		public String plainOfHeader() {
			return "done";
		}

		@ExclusiveRequest(name = "a", key = "#id", condition = "principal != null")
		public CompletableFuture<String> futureOfPrincipal(String id) {
			return CompletableFuture.completedFuture("done");
		}

		@ExclusiveRequest(name = "a", key = "header('X-Id')")
		public Single<String> rxOfHeader() {
			return Single.just("done");
		}

		@ExclusiveRequest(name = "a", key = "#id")
		public CompletableFuture<ResponseEntity<Flux<String>>> laterEntity(String id) {
			return CompletableFuture.completedFuture(ResponseEntity.ok(Flux.just("done")));
		}

	}

	static class Shared {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		public String method() {
			return "done";
		}

	}

	static class Unshareable {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		public WithoutSetter method() {
			return new WithoutSetter();
		}

	}

	static class WithoutSetter {

		private final Long id = 1L;

		public Long getId() {
			return this.id;
		}

	}

	static class SkippedVoid {

		@ExclusiveRequest(onConflict = OnConflict.SKIP)
		public void method() {
		}

	}

	static class SkippedOptional {

		@ExclusiveRequest(onConflict = OnConflict.SKIP)
		public Optional<String> method() {
			return Optional.of("done");
		}

	}

	static class SkippedFuture {

		@ExclusiveRequest(onConflict = OnConflict.SKIP)
		public CompletableFuture<String> method() {
			return CompletableFuture.completedFuture("done");
		}

	}

	static class SkippedPrimitive {

		@ExclusiveRequest(onConflict = OnConflict.SKIP)
		public int method() {
			return 1;
		}

	}

	@RestController
	static class SkippedHandler {

		@PostMapping("/")
		@ExclusiveRequest(onConflict = OnConflict.SKIP)
		public void method() {
		}

	}

	@RestController
	static class SkippedExchange {

		@PostExchange("/")
		@ExclusiveRequest(onConflict = OnConflict.SKIP)
		public void method() {
		}

	}

	/** It sends requests, and has no client. */
	interface SkippedClient {

		@PostExchange("/")
		@ExclusiveRequest(onConflict = OnConflict.SKIP)
		void method();

	}

	@NullMarked
	static class SkippedNonNull {

		@ExclusiveRequest(onConflict = OnConflict.SKIP)
		public String method() {
			return "done";
		}

	}

	@NullMarked
	static class SkippedNullable {

		@ExclusiveRequest(onConflict = OnConflict.SKIP)
		public @Nullable String method() {
			return null;
		}

	}

	static final class FinalClass {

		@ExclusiveRequest
		public void method() {
		}

	}

	static final class FinalClassOfInterface implements Task {

		@Override
		@ExclusiveRequest
		public void work() {
		}

	}

	static class OfPackage {

		@ExclusiveRequest
		void method() {
		}

	}

	static class OverriddenInPackage extends OfPackage {

	}

	static class LeaseInKey {

		@ExclusiveRequest("{#id, #lease.fencingToken()}")
		public void method(String id, Lease lease) {
		}

	}

	static class LeaseInCondition {

		@ExclusiveRequest(condition = "#p1 == null")
		public void method(String id, Lease lease) {
		}

	}

	static class WithPrivateMethod {

		@ExclusiveRequest
		private void method() {
		}

	}

	static class InheritedPrivateMethod extends WithPrivateMethod {

		public void method() {
		}

	}

	static class WithFinalMethod {

		public final void method() {
		}

	}

	@ExclusiveRequest
	static class InheritedFinalMethod extends WithFinalMethod {

	}

	@ExclusiveRequest
	static class FinalUnderAnnotatedClass {

		public final void method() {
		}

	}

	static class PackagePrivateElsewhere extends Inherited.Annotated {

	}

	static class ProtectedElsewhere extends Inherited.AnnotatedProtected {

	}

	static class MisspeltVariable {

		@ExclusiveRequest("#usrName")
		public void method(String userName) {
		}

	}

	static class ForgottenHash {

		@ExclusiveRequest("userName")
		public void method(String userName) {
		}

	}

	static class PrivateMethod {

		@ExclusiveRequest
		private void method() {
		}

	}

	static class FinalMethod {

		@ExclusiveRequest
		public final void method() {
		}

	}

	static class StaticMethod {

		@ExclusiveRequest
		public static void method() {
		}

	}

	static class PlainFuture {

		@ExclusiveRequest
		public Future<String> method() {
			return CompletableFuture.completedFuture("done");
		}

	}

	static class MyFuture<T> extends CompletableFuture<T> {

	}

	static class OwnFuture {

		@ExclusiveRequest
		public MyFuture<Callable<String>> method() {
			return new MyFuture<>();
		}

	}

	static class OwnFutureOfEntity {

		@ExclusiveRequest
		public MyFuture<ResponseEntity<SseEmitter>> method() {
			return new MyFuture<>();
		}

	}

	static class JavaStream {

		@ExclusiveRequest
		public ResponseEntity<Stream<String>> method() {
			return ResponseEntity.ok(Stream.of());
		}

	}

	static class CallableOfService {

		@ExclusiveRequest
		public Callable<String> method() {
			return () -> "later";
		}

	}

	static class EmitterOfService {

		@ExclusiveRequest
		public ResponseEntity<SseEmitter> method() {
			return ResponseEntity.ok(new SseEmitter());
		}

	}

	static class ReactiveEntityOfService {

		@ExclusiveRequest
		public ResponseEntity<Flux<String>> method() {
			return ResponseEntity.ok(Flux.empty());
		}

	}

	static class Parallel {

		@ExclusiveRequest
		public ParallelFlux<String> method() {
			return Flux.just("done").parallel();
		}

	}

	record MyPublisher(Publisher<String> source) implements Publisher<String> {

		@Override
		public void subscribe(Subscriber<? super String> subscriber) {
			this.source.subscribe(subscriber);
		}

	}

	static class RecordOfPublisher {

		@ExclusiveRequest
		public MyPublisher method() {
			return new MyPublisher(Flux.just("done"));
		}

	}

	enum Nothing implements Publisher<String> {

		INSTANCE;

		@Override
		public void subscribe(Subscriber<? super String> subscriber) {
			Flux.<String>empty().subscribe(subscriber);
		}

	}

	static class EnumOfPublisher {

		@ExclusiveRequest
		public Nothing method() {
			return Nothing.INSTANCE;
		}

	}

	static class BadTtl {

		@ExclusiveRequest(ttl = "5x")
		public void method() {
		}

	}

	static class ZeroTtl {

		@ExclusiveRequest(ttl = "0s")
		public void method() {
		}

	}

	static class NegativeWait {

		@ExclusiveRequest(waitTime = "-1s")
		public void method() {
		}

	}

	static class BadStatus {

		@ExclusiveRequest(status = 500)
		public void method() {
		}

	}

	static class BadName {

		@ExclusiveRequest(name = "a:b")
		public void method() {
		}

	}

}
