package org.springframework.samples.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.support.ApplicationObjectSupport;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.autoconfigure.LockAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * An application in a package below {@code org.springframework}, like Spring's own
 * samples.
 */
@ExtendWith(OutputCaptureExtension.class)
class AnnotatedClassesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory")
		.withBean(Owners.class);

	@Test
	@DisplayName("An annotation on a class in a package below org.springframework covers the methods of the class")
	void ownMethods() {
		this.runner.run((context) -> {
			Owners owners = context.getBean(Owners.class);
			owners.register("taro", () -> {
				assertRejected(() -> owners.register("taro", () -> "second"));
				return owners.register("jiro", () -> "other");
			});
		});
	}

	@Test
	@DisplayName("The annotation covers methods that the application's own interfaces and superclasses declare")
	void inheritedMethods() {
		this.runner.run((context) -> {
			Owners owners = context.getBean(Owners.class);
			owners.register("taro", () -> {
				assertRejected(() -> owners.find("taro"));
				assertRejected(() -> owners.describe("taro"));
				assertRejected(() -> owners.rename("taro"));
				return "first";
			});
		});
	}

	@Test
	@DisplayName("The annotation covers a JDK interface with a type argument of the application")
	void parameterOfInterface() {
		this.runner.withBean(Imports.class).run((context) -> {
			Consumer<String> imports = context.getBean(Imports.class);
			context.getBean(LockRegistry.class).acquire("imports:taro");
			assertRejected(() -> imports.accept("taro"));
			imports.accept("jiro");
		});
	}

	@Test
	@DisplayName("The annotation does not cover container callbacks and methods of Spring's superclasses")
	void callbacks() {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Owners.class)).hasToString("1 event");
		});
	}

	@Test
	@DisplayName("A call that bypasses the proxy of such a class logs a warning")
	void selfInvocation(CapturedOutput output) {
		this.runner.withBean(Pets.class)
			.run((context) -> assertThat(output).contains("Pets.nameTwice calls name on the same object"));
	}

	/** Runs on another thread: a call within the holder's call would join its lease. */
	private static void assertRejected(ThrowingCallable call) {
		CompletableFuture<Throwable> rejection = CompletableFuture.supplyAsync(() -> catchThrowable(call));
		assertThat(rejection).succeedsWithin(Duration.ofMinutes(1)).isInstanceOf(LockConflictException.class);
	}

	@ExclusiveRequest(name = "imports", key = "#name")
	static class Imports implements Consumer<String> {

		@Override
		public void accept(String name) {
		}

	}

	interface Finder {

		String find(String name);

		default String describe(String name) {
			return name;
		}

	}

	static class Named extends ApplicationObjectSupport {

		public String rename(String name) {
			return name;
		}

	}

	@ExclusiveRequest(name = "owners", key = "#name")
	static class Owners extends Named implements Finder, InitializingBean, ApplicationListener<ContextRefreshedEvent> {

		private int events;

		public String register(String name, Supplier<String> work) {
			return work.get();
		}

		@Override
		public String find(String name) {
			return name;
		}

		@Override
		public void afterPropertiesSet() {
			assertThat(this.events).isZero();
		}

		@Override
		public void onApplicationEvent(ContextRefreshedEvent event) {
			this.events++;
		}

		@Override
		public String toString() {
			return this.events + " event";
		}

	}

	static class Pets {

		@ExclusiveRequest(name = "pets", key = "#name")
		public String name(String name) {
			return name;
		}

		public String nameTwice(String name) {
			return name(name);
		}

	}

}
