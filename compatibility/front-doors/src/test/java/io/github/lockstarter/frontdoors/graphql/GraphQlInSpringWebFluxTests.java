package io.github.lockstarter.frontdoors.graphql;

import org.junit.jupiter.api.DisplayName;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

@SpringBootTest(classes = { GraphQlApplication.class, PaymentController.class, OtherThreads.class },
		webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.graphql.schema.locations=classpath:doors/",
				"spring.main.web-application-type=reactive" })
@DisplayName("GraphQL in Spring WebFlux")
class GraphQlInSpringWebFluxTests extends GraphQlContract {

}
