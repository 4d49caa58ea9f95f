package io.github.lockstarter.compatibility;

import java.util.function.Supplier;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.method.configuration.EnableReactiveMethodSecurity;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@code @PreAuthorize} and a lock on one method.
 */
class MethodSecurityTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("lock.store=memory");

	@ParameterizedTest
	@ValueSource(classes = { OnClass.class, OnInterface.class, LockOnInterface.class })
	@DisplayName("A caller is authorized before it asks for the lock, however proxies are made")
	void authorizedFirst(Class<?> configuration) {
		for (boolean classes : new boolean[] { true, false }) {
			this.runner.withUserConfiguration(configuration)
				.withPropertyValues("spring.aop.proxy-target-class=" + classes)
				.run((context) -> {
					assertThat(context).hasNotFailed();
					Payments payments = context.getBean(Payments.class);
					try (Lease held = context.getBean(LockRegistry.class).acquire("payment:1")) {
						assertThatExceptionOfType(AccessDeniedException.class)
							.isThrownBy(() -> as("GUEST", () -> payments.pay("1")));
						assertThatExceptionOfType(LockConflictException.class)
							.isThrownBy(() -> as("CLERK", () -> payments.pay("1")));
						assertThat(as("CLERK", () -> payments.pay("2"))).isEqualTo("paid");
						assertThat(held.isHeld()).isTrue();
					}
					assertThat(as("CLERK", () -> payments.pay("1"))).isEqualTo("paid");
				});
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { OnClass.class, OnInterface.class, LockOnInterface.class })
	@DisplayName("With a lower order than that of Spring Security, the lock is asked for first, and is released for a caller that is denied")
	void lockedFirst(Class<?> configuration) {
		this.runner.withUserConfiguration(configuration).withPropertyValues("lock.order=0").run((context) -> {
			assertThat(context).hasNotFailed();
			Payments payments = context.getBean(Payments.class);
			try (Lease held = context.getBean(LockRegistry.class).acquire("payment:1")) {
				assertThatExceptionOfType(LockConflictException.class)
					.isThrownBy(() -> as("GUEST", () -> payments.pay("1")));
				assertThat(held.isHeld()).isTrue();
			}
			assertThatExceptionOfType(AccessDeniedException.class)
				.isThrownBy(() -> as("GUEST", () -> payments.pay("1")));
			assertThat(as("CLERK", () -> payments.pay("1"))).isEqualTo("paid");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "2147483547", "0" })
	@DisplayName("The subscriber of a reactive method is authorized, and has the lock, in the order of the advice")
	void reactive(String order) {
		Class<?> first = order.equals("0") ? LockConflictException.class : AccessDeniedException.class;
		this.runner.withUserConfiguration(Reactive.class).withPropertyValues("lock.order=" + order).run((context) -> {
			ReactivePayments payments = context.getBean(ReactivePayments.class);
			try (Lease held = context.getBean(LockRegistry.class).acquire("payment:alice")) {
				assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> as("GUEST", payments.pay()))
					.isInstanceOf(first);
				assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> as("CLERK", payments.pay()));
				assertThat(held.isHeld()).isTrue();
			}
			assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(() -> as("GUEST", payments.pay()));
			assertThat(as("CLERK", payments.pay())).isEqualTo("paid");
		});
	}

	private static String as(String role, Supplier<String> call) {
		SecurityContextHolder
			.setContext(new SecurityContextImpl(new TestingAuthenticationToken("alice", "", "ROLE_" + role)));
		try {
			return call.get();
		}
		finally {
			SecurityContextHolder.clearContext();
		}
	}

	private static String as(String role, Mono<String> call) {
		return call
			.contextWrite(ReactiveSecurityContextHolder
				.withAuthentication(new TestingAuthenticationToken("alice", "", "ROLE_" + role)))
			.block();
	}

	interface Payments {

		String pay(String id);

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableMethodSecurity
	static class OnClass {

		@Bean
		Payments payments() {
			return new Payments() {

				@Override
				@PreAuthorize("hasRole('CLERK')")
				@ExclusiveRequest(name = "payment", key = "#id")
				public String pay(String id) {
					return "paid";
				}

			};
		}

	}

	interface GuardedPayments extends Payments {

		@Override
		@PreAuthorize("hasRole('CLERK')")
		@ExclusiveRequest(name = "payment", key = "#id")
		String pay(String id);

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableMethodSecurity
	static class OnInterface {

		@Bean
		GuardedPayments payments() {
			return (id) -> "paid";
		}

	}

	interface LockedPayments extends Payments {

		@Override
		@ExclusiveRequest(name = "payment", key = "#id")
		String pay(String id);

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableMethodSecurity
	static class LockOnInterface {

		@Bean
		LockedPayments payments() {
			return new LockedPayments() {

				@Override
				@PreAuthorize("hasRole('CLERK')")
				public String pay(String id) {
					return "paid";
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableReactiveMethodSecurity
	static class Reactive {

		@Bean
		ReactivePayments payments() {
			return new ReactivePayments();
		}

	}

	static class ReactivePayments {

		@PreAuthorize("hasRole('CLERK')")
		@ExclusiveRequest(name = "payment", key = "principal.name")
		Mono<String> pay() {
			return Mono.just("paid");
		}

	}

}
