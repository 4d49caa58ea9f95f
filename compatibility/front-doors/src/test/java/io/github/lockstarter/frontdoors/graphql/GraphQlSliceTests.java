package io.github.lockstarter.frontdoors.graphql;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.graphql.test.autoconfigure.GraphQlTest;
import org.springframework.context.annotation.Import;
import org.springframework.graphql.execution.ErrorType;
import org.springframework.graphql.test.tester.GraphQlTester;
import org.springframework.test.context.ContextConfiguration;

import io.github.lockstarter.frontdoors.Work;

import static org.assertj.core.api.Assertions.assertThat;

@GraphQlTest(controllers = PaymentController.class, properties = "spring.graphql.schema.locations=classpath:doors/")
@ContextConfiguration(classes = GraphQlSliceTests.Application.class)
@DisplayName("In the slice @GraphQlTest")
class GraphQlSliceTests {

	@Test
	@DisplayName("methods have their locks, and their errors are those of the application")
	void locks(@Autowired GraphQlTester client) {
		client.document("mutation { token(id: \"1\") }").execute().path("token").entity(Integer.class).get();
		client.document("mutation { token(id: \" \") }")
			.execute()
			.errors()
			.satisfy((errors) -> assertThat(errors).singleElement()
				.satisfies((error) -> assertThat(error.getErrorType()).isEqualTo(ErrorType.BAD_REQUEST)));
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@Import({ Work.class, PaymentController.class })
	static class Application {

	}

}
