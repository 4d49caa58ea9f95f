package io.github.lockstarter.frontdoors.graphql;

import java.time.Duration;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.Order;
import org.springframework.graphql.data.method.annotation.MutationMapping;
import org.springframework.stereotype.Controller;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("The principal of a GraphQL request")
class GraphQlPrincipalTests {

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "NONE")
	@DisplayName("is that of the first request, too, which creates the bean with the lock")
	void ofTheFirstRequest(WebApplicationType type) {
		try (ConfigurableApplicationContext context = start(type);
				Lease other = context.getBean(LockRegistry.class)
					.acquire(new LockKey("own", "taro"), LockOptions.of(Duration.ofMinutes(1)))) {
			assertThat(mutate(context, "own").at("/errors/0/extensions/classification").asString())
				.isEqualTo("CONFLICT");
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	@DisplayName("is missed only by a call that reads it, if it cannot be loaded")
	void notLoaded() {
		try (ConfigurableApplicationContext context = start(WebApplicationType.REACTIVE, WithoutUsers.class)) {
			assertThat(mutate(context, "order").at("/data/order").asString()).isEqualTo("ordered");
			assertThat(mutate(context, "own").at("/errors/0/extensions/classification").asString())
				.isEqualTo("INTERNAL_ERROR");
		}
	}

	private static JsonNode mutate(ConfigurableApplicationContext context, String field) {
		int port = ((WebServerApplicationContext) context).getWebServer().getPort();
		return new GraphQlClient(port).send("mutation { %s }".formatted(field)).join();
	}

	private static ConfigurableApplicationContext start(WebApplicationType type, Class<?>... beans) {
		return new SpringApplicationBuilder(GraphQlApplication.class, OwnController.class, OwnService.class,
				OtherThreads.class)
			.sources(beans)
			.web(type)
			.lazyInitialization(true)
			.run("--server.port=0", "--spring.graphql.schema.locations=classpath:doors/");
	}

	@Controller
	static class OwnController {

		private final ObjectProvider<OwnService> service;

		OwnController(ObjectProvider<OwnService> service) {
			this.service = service;
		}

		@MutationMapping
		String own() {
			return this.service.getObject().own();
		}

		@MutationMapping
		String order() {
			return this.service.getObject().order();
		}

	}

	static class OwnService {

		@ExclusiveRequest(name = "own", key = "principal")
		public String own() {
			return "called";
		}

		@ExclusiveRequest(name = "order", key = "header('X-Order')")
		public String order() {
			return "ordered";
		}

	}

	/** Loads users from a store that is down. It is the last filter. */
	@Order
	static class WithoutUsers implements WebFilter {

		@Override
		public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
			return chain.filter(
					exchange.mutate().principal(Mono.error(new IllegalStateException("the store is down"))).build());
		}

	}

}
