package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.ResponseEntity;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.Inherited;

import static org.assertj.core.api.Assertions.assertThat;

class ExclusiveRequestStartTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory");

	@ParameterizedTest
	@ValueSource(classes = { MisspeltVariable.class, ForgottenHash.class, PrivateMethod.class, FinalMethod.class,
			StaticMethod.class, PlainFuture.class, JavaStream.class, CallableOfService.class, EmitterOfService.class,
			BadTtl.class, ZeroTtl.class, LeaseInKey.class, LeaseInCondition.class, InheritedPrivateMethod.class,
			InheritedFinalMethod.class, FinalUnderAnnotatedClass.class, PackagePrivateElsewhere.class,
			NegativeWait.class, BadStatus.class, BadName.class, UnknownPlaceholder.class })
	@DisplayName("What could not lock as it says stops the start, and names the method")
	void failsAtStart(Class<?> type) {
		this.runner.withBean(type).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).hasStackTraceContaining(LockConfigurationException.class.getName());
			Class<?> declaring = (type.getSuperclass() != Object.class) ? type.getSuperclass() : type;
			assertThat(context.getStartupFailure()).hasStackTraceContaining(declaring.getSimpleName() + ".method");
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { NotInInterface.class, ProtectedBesideInterface.class })
	@DisplayName("A method that a proxy of interfaces does not have stops the start")
	void notInInterface(Class<?> type) {
		this.runner.withBean(type).run((context) -> assertThat(context).hasNotFailed());
		this.runner.withPropertyValues("spring.aop.proxy-target-class=false").withBean(type).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(LockConfigurationException.class)
				.hasMessageContainingAll(type.getSimpleName() + ".method", Greeting.class.getName());
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { InInterface.class, InGenericInterface.class, AnnotatedBesideInterface.class })
	@DisplayName("With proxies of interfaces, their methods can be annotated, also those of generic ones, and classes")
	void inInterface(Class<?> type) {
		this.runner.withPropertyValues("spring.aop.proxy-target-class=false").withBean(type).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(AopUtils.isJdkDynamicProxy(context.getBean(context.getBeanNamesForType(Greeting.class)[0])))
				.isTrue();
		});
	}

	@Test
	@DisplayName("A final class, of which there can be no proxy, stops the start")
	void finalClass() {
		this.runner.withBean(FinalClass.class).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).hasStackTraceContaining(FinalClass.class.getName());
		});
	}

	@Test
	@DisplayName("Methods that are neither public nor private are under a lock, too")
	void packagePrivateMethod() {
		this.runner.withBean(NotPublic.class).run((context) -> {
			NotPublic bean = context.getBean(NotPublic.class);
			LockRegistry locks = context.getBean(LockRegistry.class);
			assertThat(bean.packagePrivate(locks)).isEmpty();
			assertThat(bean.guarded(locks)).isEmpty();
		});
	}

	@Test
	@DisplayName("What an annotated class may keep to itself: private and static methods, and those its package cannot see")
	void notCovered() {
		this.runner.withBean(CoveringClass.class).run((context) -> assertThat(context).hasNotFailed());
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

	interface Greeting {

		String greet();

	}

	static class NotInInterface implements Greeting {

		@Override
		public String greet() {
			return "hello";
		}

		@ExclusiveRequest
		public void method() {
		}

	}

	static class ProtectedBesideInterface implements Greeting {

		@Override
		@ExclusiveRequest
		public String greet() {
			return "hello";
		}

		@ExclusiveRequest
		protected void method() {
		}

	}

	static class InInterface implements Greeting {

		@Override
		@ExclusiveRequest
		public String greet() {
			return "hello";
		}

	}

	interface GenericGreeting<T> extends Greeting {

		void greet(T whom);

	}

	static class InGenericInterface implements GenericGreeting<String> {

		@Override
		public String greet() {
			return "hello";
		}

		@Override
		@ExclusiveRequest
		public void greet(String whom) {
		}

	}

	@ExclusiveRequest
	static class AnnotatedBesideInterface implements Greeting {

		@Override
		public String greet() {
			return "hello";
		}

		public void method() {
		}

	}

	static final class FinalClass {

		@ExclusiveRequest
		public void method() {
		}

	}

	static class NotPublic {

		@ExclusiveRequest(name = "not-public")
		Optional<Lease> packagePrivate(LockRegistry locks) {
			return locks.tryAcquire("not-public", Duration.ZERO);
		}

		@ExclusiveRequest(name = "not-public")
		protected Optional<Lease> guarded(LockRegistry locks) {
			return locks.tryAcquire("not-public", Duration.ZERO);
		}

	}

	@ExclusiveRequest
	static class CoveringClass extends Inherited.Plain {

		private void method() {
		}

		static void method(String any) {
		}

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
