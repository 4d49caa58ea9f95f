package io.github.lockstarter.autoconfigure;

import java.time.Duration;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.WebClient;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.client.IdempotentRetryFilter;
import io.github.lockstarter.client.IdempotentRetryInterceptor;
import io.github.lockstarter.client.RetryLimits;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The client beans of an application that calls an API with locks.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockClientTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockClientAutoConfiguration.class));

	@Test
	@DisplayName("By default, no request is repeated")
	void off() {
		this.runner.withPropertyValues("lock.client.max-attempts=3")
			.run((context) -> assertThat(context).doesNotHaveBean(ClientHttpRequestInterceptor.class)
				.doesNotHaveBean(ExchangeFilterFunction.class));
	}

	@Test
	@DisplayName("There is one bean for each kind of client, and the application's own bean precedes it")
	void on() {
		ApplicationContextRunner on = this.runner.withPropertyValues("lock.client.enabled=true");
		on.run((context) -> assertThat(context).hasSingleBean(IdempotentRetryInterceptor.class)
			.hasSingleBean(IdempotentRetryFilter.class));
		IdempotentRetryInterceptor own = new IdempotentRetryInterceptor(RetryLimits.DEFAULT.withMaxAttempts(2));
		on.withBean(IdempotentRetryInterceptor.class, () -> own)
			.run((context) -> assertThat(context).getBean(IdempotentRetryInterceptor.class).isSameAs(own));
	}

	@Test
	@DisplayName("Without WebClient, only the bean for blocking clients exists")
	void withoutWebClient() {
		this.runner.withPropertyValues("lock.client.enabled=true")
			.withClassLoader(new FilteredClassLoader(WebClient.class, ExchangeFilterFunction.class))
			.run((context) -> assertThat(context).hasSingleBean(IdempotentRetryInterceptor.class)
				.doesNotHaveBean("exclusiveRequestRetryFilter"));
	}

	@Test
	@DisplayName("The properties set the limits of repetition")
	void limits() {
		this.runner.run((context) -> assertThat(context.getBean(ClientProperties.class).limits())
			.isEqualTo(RetryLimits.DEFAULT));
		this.runner.withPropertyValues("lock.client.max-attempts=3", "lock.client.max-time=5s")
			.run((context) -> assertThat(context.getBean(ClientProperties.class).limits())
				.isEqualTo(new RetryLimits(3, Duration.ofSeconds(5))));
	}

	@Test
	@DisplayName("An application that only uses the client starts without Redis")
	void withoutRedis() {
		try (ConfigurableApplicationContext context = start("spring.data.redis.port=1")) {
			assertThat(context.getBean(IdempotentRetryInterceptor.class)).isNotNull();
		}
	}

	@Test
	@DisplayName("An application that only uses the client can exclude the lock auto-configuration")
	void withoutLocks(CapturedOutput output) {
		try (ConfigurableApplicationContext context = start(
				"spring.autoconfigure.exclude=" + LockAutoConfiguration.class.getName())) {
			assertThat(context.getBean(IdempotentRetryFilter.class)).isNotNull();
			assertThat(context.getBeanProvider(LockRegistry.class).stream()).isEmpty();
		}
		assertThat(output).doesNotContain("WARN", "ERROR");
	}

	private static ConfigurableApplicationContext start(String property) {
		SpringApplication application = new SpringApplication(TestServer.CompleteApplication.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		return application.run("--lock.client.enabled=true", "--" + property);
	}

}
