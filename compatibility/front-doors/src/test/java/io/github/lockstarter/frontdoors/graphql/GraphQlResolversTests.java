package io.github.lockstarter.frontdoors.graphql;

import graphql.GraphQLError;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.graphql.test.autoconfigure.GraphQlTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.graphql.data.method.annotation.GraphQlExceptionHandler;
import org.springframework.graphql.execution.DataFetcherExceptionResolver;
import org.springframework.graphql.test.tester.GraphQlTester;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.web.bind.annotation.ControllerAdvice;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.frontdoors.Work;

import static org.assertj.core.api.Assertions.assertThat;

@GraphQlTest(controllers = PaymentController.class, properties = "spring.graphql.schema.locations=classpath:doors/")
@ContextConfiguration(classes = GraphQlResolversTests.Application.class)
@DisplayName("What an application itself resolves in GraphQL")
class GraphQlResolversTests {

	@Autowired
	private GraphQlTester client;

	@Test
	@DisplayName("is resolved by its advice")
	void advice() {
		assertMessage("token(id: \" \")", "by an advice");
	}

	@Test
	@DisplayName("is resolved by its resolver")
	void resolver() {
		assertMessage("fail(problem: \"lock-store-unavailable\")", "by a resolver");
	}

	private void assertMessage(String mutation, String message) {
		this.client.document("mutation { %s }".formatted(mutation))
			.execute()
			.errors()
			.satisfy((errors) -> assertThat(errors).singleElement()
				.satisfies((error) -> assertThat(error.getMessage()).isEqualTo(message)));
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@Import({ Work.class, PaymentController.class, Advice.class })
	static class Application {

		@Bean
		DataFetcherExceptionResolver ownResolver() {
			return DataFetcherExceptionResolver
				.forSingleError((exception, environment) -> (exception instanceof LockStoreException)
						? GraphQLError.newError().message("by a resolver").build() : null);
		}

	}

	@ControllerAdvice
	static class Advice {

		@GraphQlExceptionHandler
		GraphQLError handle(MissingLockKeyException exception) {
			return GraphQLError.newError().message("by an advice").build();
		}

	}

}
