package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Optional;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.Inherited;

import static org.assertj.core.api.Assertions.assertThat;

class ProxiedMethodsTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory");

	@ParameterizedTest
	@ValueSource(classes = { NotInInterface.class, TwiceNotInInterface.class, ProtectedBesideInterface.class })
	@DisplayName("An annotated method that is not in the interface prevents startup when the proxy is an interface proxy")
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
	@DisplayName("With interface proxies, annotations work on interface methods, generic interfaces and classes")
	void inInterface(Class<?> type) {
		this.runner.withPropertyValues("spring.aop.proxy-target-class=false").withBean(type).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(AopUtils.isJdkDynamicProxy(context.getBean(context.getBeanNamesForType(Greeting.class)[0])))
				.isTrue();
		});
	}

	@Test
	@DisplayName("An annotated final class prevents startup, because it cannot be proxied")
	void finalClass() {
		this.runner.withBean(FinalClass.class).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure())
				.hasStackTraceContaining("of the final class " + FinalClass.class.getName());
		});
	}

	@Test
	@DisplayName("Protected and package-private methods have locks, too")
	void packagePrivateMethod() {
		this.runner.withBean(NotPublic.class).run((context) -> {
			NotPublic bean = context.getBean(NotPublic.class);
			LockRegistry locks = context.getBean(LockRegistry.class);
			assertThat(bean.packagePrivate(locks)).isEmpty();
			assertThat(bean.guarded(locks)).isEmpty();
		});
	}

	@Test
	@DisplayName("An annotation on a class leaves out private and static methods, and methods that the proxy cannot override")
	void notCovered() {
		this.runner.withBean(CoveringClass.class).run((context) -> assertThat(context).hasNotFailed());
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

	static class TwiceNotInInterface implements Greeting {

		@Override
		public String greet() {
			return "hello";
		}

		@ExclusiveRequest(name = "one")
		@ExclusiveRequest(name = "two")
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

}
