package io.github.lockstarter.autoconfigure;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.annotation.ExclusiveRequest;

import static org.assertj.core.api.Assertions.assertThat;

class ExclusiveRequestStartTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory");

	@ParameterizedTest
	@ValueSource(classes = { MisspeltVariable.class, PlainFuture.class, UnknownPlaceholder.class })
	@DisplayName("A method that cannot be locked as declared prevents startup, and the message names it")
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

	static class PlainFuture {

		@ExclusiveRequest
		public Future<String> method() {
			return CompletableFuture.completedFuture("done");
		}

	}

	static class UnknownPlaceholder {

		@ExclusiveRequest(ttl = "${no.such.property}")
		public void method() {
		}

	}

}
