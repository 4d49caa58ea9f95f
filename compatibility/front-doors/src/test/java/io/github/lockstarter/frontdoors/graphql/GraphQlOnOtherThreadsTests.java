package io.github.lockstarter.frontdoors.graphql;

import org.junit.jupiter.api.DisplayName;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

@SpringBootTest(classes = { GraphQlApplication.class, PaymentController.class, OtherThreads.class },
		webEnvironment = WebEnvironment.RANDOM_PORT, properties = "spring.graphql.schema.locations=classpath:doors/")
@DisplayName("GraphQL in Spring MVC, on threads of its own")
class GraphQlOnOtherThreadsTests extends GraphQlContract {

}
