package io.github.lockstarter.autoconfigure;

import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.ResponseEntity;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.annotation.ExclusiveRequest;

import static org.assertj.core.api.Assertions.assertThat;

class ExclusiveRequestStartTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory");

	@ParameterizedTest
	@ValueSource(classes = { MisspeltVariable.class, ForgottenHash.class, PrivateMethod.class, FinalMethod.class,
			StaticMethod.class, Asynchronous.class, Reactive.class, WrappedAsynchronous.class, BadTtl.class,
			ZeroTtl.class, NegativeWait.class, BadStatus.class, BadName.class, UnknownPlaceholder.class })
	@DisplayName("What could not lock as it says stops the start, and names the method")
	void failsAtStart(Class<?> type) {
		this.runner.withBean(type).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).hasStackTraceContaining(LockConfigurationException.class.getName());
			assertThat(context.getStartupFailure()).hasStackTraceContaining(type.getSimpleName() + ".method");
		});
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

	static class Asynchronous {

		@ExclusiveRequest
		public CompletableFuture<String> method() {
			return new CompletableFuture<>();
		}

	}

	static class Reactive {

		@ExclusiveRequest
		public Mono<String> method() {
			return Mono.empty();
		}

	}

	static class WrappedAsynchronous {

		@ExclusiveRequest
		public ResponseEntity<Mono<String>> method() {
			return ResponseEntity.ok(Mono.empty());
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
