package io.github.lockstarter.service.web;

import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import org.springdoc.core.customizers.GlobalOperationCustomizer;
import org.springdoc.core.utils.SpringDocUtils;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;

import io.github.lockstarter.service.client.Client;

import static org.springframework.http.MediaType.APPLICATION_PROBLEM_JSON_VALUE;

/**
 * Describes the common parts of all operations in the OpenAPI document.
 */
@Configuration(proxyBeanMethods = false)
class ApiDescription {

	/**
	 * The schema of the library, which also describes the problems of this service.
	 */
	private static final String PROBLEM = "LockProblem";

	static {
		SpringDocUtils.getConfig().addRequestWrapperToIgnore(Client.class);
	}

	@Bean
	OpenAPI lockServiceApi() {
		OpenAPI api = new OpenAPI().info(new Info().title("Lock service")
			.version("1")
			.description(
					"Locks with one holder at a time, across all clients and instances: acquired, extended and released over HTTP."));
		api.schemaRequirement("apiKey",
				new SecurityScheme().type(SecurityScheme.Type.APIKEY).in(SecurityScheme.In.HEADER).name("X-API-Key"));
		api.schemaRequirement("bearer", new SecurityScheme().type(SecurityScheme.Type.HTTP).scheme("bearer"));
		return api.addSecurityItem(new SecurityRequirement().addList("apiKey"))
			.addSecurityItem(new SecurityRequirement().addList("bearer"));
	}

	@Bean
	GlobalOperationCustomizer lockServiceProblems() {
		return (operation, handler) -> {
			problem(operation, "400", "The request is invalid (`invalid-request`)");
			problem(operation, "401", "The API key is missing (`api-key-missing`) or unknown (`api-key-unknown`)")
				.addHeaderObject(HttpHeaders.WWW_AUTHENTICATE,
						new Header().description("How to send the key").schema(new StringSchema()));
			if (operation.getOperationId().startsWith("acquire")) {
				problem(operation, "403", "The request exceeds a limit of the client (`limit-exceeded`)");
				retryAfter(problem(operation, "409",
						"The lock is held (`request-in-progress`), was still held at the end of the wait time (`wait-timeout`), or has too many waiters (`wait-queue-full`)"));
			}
			if (operation.getOperationId().startsWith("release")) {
				problem(operation, "409", "The token does not hold the lock, or no longer holds it (`not-holder`)");
			}
			if (handler.getBeanType() == LockController.class) {
				problem(operation, "404", "The name of the lock is empty (`about:blank`)");
			}
			problem(operation, "408", "The body of the request is too slow (`invalid-request`)");
			problem(operation, "413", "The body of the request is too long (`invalid-request`)");
			problem(operation, "414", "The path and its parameters are too long (`invalid-request`)");
			retryAfter(problem(operation, "429",
					"Too many wrong API keys came from this address (`too-many-wrong-keys`)"));
			problem(operation, "431", "The headers of the request are too long (`invalid-request`)");
			retryAfter(problem(operation, "503",
					"The lock store is unavailable, or the service shuts down (`lock-store-unavailable`)"));
			return operation;
		};
	}

	private static ApiResponse problem(Operation operation, String status, String description) {
		ApiResponse response = new ApiResponse().description(description)
			.content(new Content().addMediaType(APPLICATION_PROBLEM_JSON_VALUE,
					new MediaType().schema(new Schema<>().$ref(PROBLEM))));
		operation.getResponses().addApiResponse(status, response);
		return response;
	}

	private static void retryAfter(ApiResponse response) {
		response.addHeaderObject(HttpHeaders.RETRY_AFTER,
				new Header().description("The number of seconds after which a retry may succeed")
					.schema(new IntegerSchema()));
	}

}
