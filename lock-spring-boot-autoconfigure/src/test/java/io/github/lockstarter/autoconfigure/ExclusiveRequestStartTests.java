package io.github.lockstarter.autoconfigure;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.ParallelFlux;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.ResponseEntity;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.Inherited;

import static org.assertj.core.api.Assertions.assertThat;

class ExclusiveRequestStartTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory");

	@ParameterizedTest
	@ValueSource(classes = { MisspeltVariable.class, ForgottenHash.class, PrivateMethod.class, FinalMethod.class,
			StaticMethod.class, PlainFuture.class, OwnFuture.class, OwnFutureOfEntity.class, JavaStream.class,
			CallableOfService.class, EmitterOfService.class, ReactiveEntityOfService.class, Parallel.class,
			RecordOfPublisher.class, EnumOfPublisher.class, BadTtl.class, ZeroTtl.class, LeaseInKey.class,
			LeaseInCondition.class, InheritedPrivateMethod.class, InheritedFinalMethod.class,
			FinalUnderAnnotatedClass.class, PackagePrivateElsewhere.class, NegativeWait.class, BadStatus.class,
			BadName.class, UnknownPlaceholder.class })
	@DisplayName("A method that cannot be locked as declared stops the start, and the message names it")
	void failsAtStart(Class<?> type) {
		this.runner.withBean(type).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).hasStackTraceContaining(LockConfigurationException.class.getName());
			Class<?> declaring = (type.getSuperclass() != Object.class) ? type.getSuperclass() : type;
			assertThat(context.getStartupFailure()).hasStackTraceContaining(declaring.getSimpleName() + ".method");
		});
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

	static class UnknownPlaceholder {

		@ExclusiveRequest(ttl = "${no.such.property}")
		public void method() {
		}

	}

}
