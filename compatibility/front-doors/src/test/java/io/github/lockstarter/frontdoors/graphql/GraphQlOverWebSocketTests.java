package io.github.lockstarter.frontdoors.graphql;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.security.Principal;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.graphql.server.WebGraphQlInterceptor;
import org.springframework.graphql.server.support.AuthenticationExtractor;
import org.springframework.graphql.server.webmvc.AuthenticationWebSocketInterceptor;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.socket.server.WebSocketService;
import org.springframework.web.reactive.socket.server.support.HandshakeWebSocketService;
import org.springframework.web.reactive.socket.server.upgrade.ReactorNettyRequestUpgradeStrategy;
import org.springframework.web.server.WebFilter;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.frontdoors.Work;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("GraphQL over a WebSocket, whose handshake has no user")
class GraphQlOverWebSocketTests {

	private static final JsonMapper json = JsonMapper.builder().build();

	@ParameterizedTest
	@CsvSource({ "SERVLET, own", "SERVLET, ownInMono", "REACTIVE, own", "REACTIVE, ownInMono" })
	@DisplayName("The principal is the user that the first message of the connection has authenticated")
	void principal(WebApplicationType type, String mutation) throws InterruptedException {
		try (ConfigurableApplicationContext context = start(type);
				Lease other = context.getBean(LockRegistry.class)
					.acquire(new LockKey("own", "hanako"), LockOptions.of(Duration.ofMinutes(1)))) {
			Connection taro = new Connection(context, "taro");
			assertThat(taro.mutate(mutation).at("/data/" + mutation).asString()).isEqualTo("called");
			Connection hanako = new Connection(context, "hanako");
			assertThat(hanako.mutate(mutation).at("/errors/0/extensions/classification").asString())
				.isEqualTo("CONFLICT");
			assertThat(other.isHeld()).isTrue();
		}
	}

	private static ConfigurableApplicationContext start(WebApplicationType type) {
		return new SpringApplicationBuilder(Application.class, OtherThreads.class).web(type)
			.run("--server.port=0", "--spring.graphql.schema.locations=classpath:doors/",
					"--spring.graphql.websocket.path=/graphql");
	}

	/** A connection of a user, which the end of the application closes. */
	private static final class Connection implements WebSocket.Listener {

		private final BlockingQueue<JsonNode> received = new LinkedBlockingQueue<>();

		private final StringBuilder message = new StringBuilder();

		private final WebSocket socket;

		Connection(ConfigurableApplicationContext context, String user) throws InterruptedException {
			int port = ((WebServerApplicationContext) context).getWebServer().getPort();
			this.socket = HttpClient.newHttpClient()
				.newWebSocketBuilder()
				.subprotocols("graphql-transport-ws")
				.buildAsync(URI.create("ws://localhost:%d/graphql".formatted(port)), this)
				.join();
			send(Map.of("type", "connection_init", "payload", Map.of("user", user)));
			assertThat(receive().at("/type").asString()).isEqualTo("connection_ack");
		}

		/** Returns the result of a mutation. */
		JsonNode mutate(String field) throws InterruptedException {
			send(Map.of("id", "1", "type", "subscribe", "payload",
					Map.of("query", "mutation { %s }".formatted(field))));
			JsonNode result = receive();
			assertThat(result.at("/type").asString()).as(result.toString()).isEqualTo("next");
			return result.at("/payload");
		}

		private void send(Map<String, ?> message) {
			this.socket.sendText(json.writeValueAsString(message), true).join();
		}

		private JsonNode receive() throws InterruptedException {
			JsonNode message = this.received.poll(30, TimeUnit.SECONDS);
			assertThat(message).as("a message has arrived within 30 s").isNotNull();
			return message;
		}

		@Override
		public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
			this.message.append(data);
			if (last) {
				this.received.add(json.readTree(this.message.toString()));
				this.message.setLength(0);
			}
			socket.request(1);
			return null;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Work.class, PaymentController.class })
	static class Application {

		private static final AuthenticationExtractor USER = (payload) -> Mono
			.just(UsernamePasswordAuthenticationToken.unauthenticated(payload.get("user"), null));

		private static Authentication authenticated(Authentication claimed) {
			return UsernamePasswordAuthenticationToken.authenticated(claimed.getPrincipal(), null, null);
		}

		@Bean
		@ConditionalOnWebApplication(type = Type.SERVLET)
		WebGraphQlInterceptor authenticationInServlets() {
			return new AuthenticationWebSocketInterceptor(USER, Application::authenticated);
		}

		@Bean
		@ConditionalOnWebApplication(type = Type.REACTIVE)
		WebGraphQlInterceptor authenticationInExchanges() {
			return new org.springframework.graphql.server.webflux.AuthenticationWebSocketInterceptor(USER,
					(claimed) -> Mono.just(authenticated(claimed)));
		}

		/** As Spring Security has it, if it is configured so. */
		@Bean
		@ConditionalOnWebApplication(type = Type.REACTIVE)
		WebFilter anonymousUserOfExchanges() {
			Principal anonymous = new AnonymousAuthenticationToken("key", "anonymousUser",
					AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS"));
			return (exchange, chain) -> chain.filter(exchange.mutate().principal(Mono.just(anonymous)).build());
		}

		/** Spring WebFlux would prefer that of Tomcat, which is on the class path. */
		@Bean
		@ConditionalOnWebApplication(type = Type.REACTIVE)
		WebFluxConfigurer webSocketsOfNetty() {
			return new WebFluxConfigurer() {

				@Override
				public WebSocketService getWebSocketService() {
					return new HandshakeWebSocketService(new ReactorNettyRequestUpgradeStrategy());
				}

			};
		}

	}

}
