package io.github.lockstarter.service;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

import org.springframework.web.reactive.result.method.RequestMappingInfoHandlerMapping;

import io.github.lockstarter.service.RunningService.Answer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the service says of itself is what it does.
 */
class OpenApiTests {

	private static final String HANAKO = "the-key-of-hanako-0123456789";

	private static RunningService service;

	private static JsonNode api;

	@BeforeAll
	static void start() {
		service = RunningService.start("lock.service.clients.hanako.api-key=" + HANAKO,
				"lock.service.clients.hanako.max-locks=1");
		api = service.sendWithoutKey("GET", "/openapi").join().json();
	}

	@AfterAll
	static void stop() {
		service.close();
	}

	@Test
	@DisplayName("All operations of the service are described, and no others")
	void operations() {
		Set<String> described = new TreeSet<>();
		api.get("paths")
			.properties()
			.forEach((path) -> path.getValue()
				.propertyNames()
				.forEach((method) -> described.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
		Set<String> served = service.context()
			.getBeansOfType(RequestMappingInfoHandlerMapping.class)
			.values()
			.stream()
			.flatMap((mapping) -> mapping.getHandlerMethods().entrySet().stream())
			.filter((handler) -> handler.getValue().getBeanType().getPackageName().startsWith("io.github.lockstarter"))
			.map(Map.Entry::getKey)
			.flatMap((info) -> info.getMethodsCondition()
				.getMethods()
				.stream()
				.map((method) -> method + " " + info.getPatternsCondition().getPatterns().iterator().next()))
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(described).isEqualTo(served).hasSize(5);
	}

	@Test
	@DisplayName("The key is asked for in the two ways it may come")
	void security() {
		assertThat(api.at("/components/securitySchemes/apiKey/name").asString()).isEqualTo("X-API-Key");
		assertThat(api.at("/components/securitySchemes/bearer/scheme").asString()).isEqualTo("bearer");
		assertThat(api.get("security")).hasSize(2);
	}

	@ParameterizedTest(name = "{0} {1} with {2}: {3}")
	@CsvSource(delimiter = '|', nullValues = "-", textBlock = """
			PUT    | /locks/d-free               | -                                 | 201
			PUT    | /locks/d-token              | Lock-Token: chosen-by-the-client-1 | 201
			PUT    | /locks/d-token              | Lock-Token: chosen-by-the-client-1 | 200
			PUT    | /locks/d-token              | -                                 | 409
			PUT    | /locks/d-free?ttl=1d        | -                                 | 403
			PUT    | /locks/d-free?ttl=x         | -                                 | 400
			PUT    | /locks/d-free               | X-API-Key: nobody-has-this-key     | 401
			GET    | /locks/d-free               | -                                 | 200
			GET    | /locks/%20                  | -                                 | 400
			DELETE | /locks/d-token              | Lock-Token: somebody-elses-token   | 409
			DELETE | /locks/d-token              | -                                 | 400
			DELETE | /locks/d-token              | Lock-Token: chosen-by-the-client-1 | 204
			GET    | /lock?hash=d-plain          | -                                 | 200
			GET    | /lock?hash=d-plain          | -                                 | 409
			GET    | /lock?hash=d-plain&wait=1d  | -                                 | 403
			DELETE | /lock?hash=d-plain          | Lock-Token: somebody-elses-token   | 409
			DELETE | /lock?hash=d-plain          | -                                 | 400
			""")
	@DisplayName("An answer of the running service is described: its status, its media type, and every property of it")
	void answers(String method, String path, String header, int status) {
		String[] headers = (header != null) ? header.split(": ") : new String[0];
		Answer answer = (header != null && header.startsWith("X-API-Key"))
				? service.sendWithoutKey(method, path, headers).join() : service.send(method, path, headers);
		assertThat(answer.status()).isEqualTo(status);
		String template = path.startsWith("/locks/") ? "/locks/{name}" : "/lock";
		JsonNode described = api.get("paths").get(template).get(method.toLowerCase(Locale.ROOT)).get("responses");
		assertThat(described.propertyNames()).contains(Integer.toString(status));
		JsonNode content = described.get(Integer.toString(status)).path("content");
		if (answer.body().isEmpty()) {
			assertThat(content.isMissingNode()).isTrue();
			return;
		}
		String type = answer.header("Content-Type").replaceFirst(";.*", "");
		assertThat(content.propertyNames()).containsExactly(type);
		if (type.endsWith("json")) {
			String schema = content.get(type).at("/schema/$ref").asString().replaceFirst("#", "");
			assertThat(api.at(schema).get("properties").propertyNames()).containsAll(properties(answer, status));
		}
	}

	/** What extends a problem is not part of its type. */
	private static Set<String> properties(Answer answer, int status) {
		Set<String> properties = new TreeSet<>(answer.json().propertyNames());
		if (status >= 400) {
			properties.remove("retryAfterMillis");
		}
		return properties;
	}

}
