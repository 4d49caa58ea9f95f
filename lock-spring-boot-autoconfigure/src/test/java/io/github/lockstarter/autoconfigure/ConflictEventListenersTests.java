package io.github.lockstarter.autoconfigure;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.EventListener;
import org.springframework.test.util.ReflectionTestUtils;

import io.github.lockstarter.LockConflictEvent;
import io.github.lockstarter.LockSkippedEvent;
import io.github.lockstarter.event.LockEvents;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The search for listeners of rejection and skip events, without which no event is
 * published.
 */
class ConflictEventListenersTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory");

	@ParameterizedTest
	@ValueSource(
			classes = { OfMethod.class, OfConditionalMethod.class, OfType.class, OfLambda.class, OfLazyBean.class })
	@DisplayName("A listener for conflict events gets conflict events, and no skip events")
	void conflicts(Class<?> listener) {
		this.runner.withUserConfiguration(listener).run((context) -> {
			assertThat(published(context, "conflicts")).isTrue();
			assertThat(published(context, "skips")).isFalse();
		});
	}

	@Test
	@DisplayName("A listener for skip events gets skip events, and no conflict events")
	void skips() {
		this.runner.withUserConfiguration(OfSkips.class).run((context) -> {
			assertThat(published(context, "conflicts")).isFalse();
			assertThat(published(context, "skips")).isTrue();
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { OfObjects.class, OfRecords.class, OfEvents.class, OfPayloads.class })
	@DisplayName("For a listener for all events, no event is published")
	void none(Class<?> listener) {
		this.runner.withUserConfiguration(listener).run((context) -> {
			assertThat(published(context, "conflicts")).isFalse();
			assertThat(published(context, "skips")).isFalse();
		});
	}

	@Test
	@DisplayName("A listener in the parent context is found")
	void parent() {
		try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext(OfMethod.class)) {
			this.runner.withParent(parent).run((context) -> assertThat(published(context, "conflicts")).isTrue());
		}
	}

	@Test
	@DisplayName("A lazy listener is not instantiated by the search for listeners")
	void lazy() {
		this.runner.withUserConfiguration(OfLazyBean.class)
			.run((context) -> assertThat(
					context.getSourceApplicationContext().getBeanFactory().containsSingleton("lazyListener"))
				.isFalse());
	}

	private static boolean published(ApplicationContext context, String events) {
		return Boolean.TRUE.equals(ReflectionTestUtils.getField(context.getBean(LockEvents.class), events));
	}

	@Configuration(proxyBeanMethods = false)
	static class OfMethod {

		@EventListener
		void rejected(LockConflictEvent event) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfConditionalMethod {

		@EventListener(classes = LockConflictEvent.class, condition = "#root.event.payload.key.name == 'order'")
		void rejected() {
		}

	}

	static class OfType implements ApplicationListener<PayloadApplicationEvent<LockConflictEvent>> {

		@Override
		public void onApplicationEvent(PayloadApplicationEvent<LockConflictEvent> event) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfLambda {

		@Bean
		ApplicationListener<PayloadApplicationEvent<LockConflictEvent>> listener() {
			return (event) -> {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfLazyBean {

		@Bean
		@Lazy
		OfType lazyListener() {
			return new OfType();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfSkips {

		@EventListener
		void skipped(LockSkippedEvent event) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfObjects {

		@EventListener
		void any(Object event) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfRecords {

		@EventListener
		void any(Record event) {
		}

	}

	static class OfEvents implements ApplicationListener<ApplicationEvent> {

		@Override
		public void onApplicationEvent(ApplicationEvent event) {
		}

	}

	static class OfPayloads implements ApplicationListener<PayloadApplicationEvent<?>> {

		@Override
		public void onApplicationEvent(PayloadApplicationEvent<?> event) {
		}

	}

}
