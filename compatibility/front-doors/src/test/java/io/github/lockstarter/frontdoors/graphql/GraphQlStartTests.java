package io.github.lockstarter.frontdoors.graphql;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.graphql.data.method.annotation.BatchMapping;
import org.springframework.graphql.data.method.annotation.MutationMapping;
import org.springframework.stereotype.Controller;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.annotation.ExclusiveRequest;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@DisplayName("The start of an application with GraphQL is stopped by a parameter of type Lease")
class GraphQlStartTests {

	@Test
	@DisplayName("of a method that has no lock")
	void withoutLock() {
		assertNotStarted(WithoutLock.class, "token(", "is not annotated with @ExclusiveRequest");
	}

	@Test
	@DisplayName("of a method that loads a batch")
	void ofBatch() {
		assertNotStarted(OfBatch.class, "rate(", "@BatchMapping");
	}

	private static void assertNotStarted(Class<?> controller, String... words) {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> new SpringApplicationBuilder(Application.class, controller).web(WebApplicationType.NONE)
				.lazyInitialization(true)
				.run("--spring.graphql.schema.locations=classpath:doors/"))
			.withMessageContaining("a parameter of type Lease")
			.withMessageContainingAll(words);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	@Controller
	static class WithoutLock {

		@MutationMapping
		public long token(Lease lease) {
			return lease.fencingToken();
		}

	}

	@Controller
	static class OfBatch {

		@BatchMapping(typeName = "Payment")
		@ExclusiveRequest(name = "rates")
		public Map<String, Integer> rate(List<String> payments, Lease lease) {
			return payments.stream().collect(Collectors.toMap(Function.identity(), (payment) -> 100));
		}

	}

}
