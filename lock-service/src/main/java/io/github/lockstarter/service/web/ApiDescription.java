package io.github.lockstarter.service.web;

import io.swagger.v3.core.converter.ModelConverters;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import org.springdoc.core.customizers.GlobalOperationCustomizer;
import org.springdoc.core.utils.SpringDocUtils;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;

import io.github.lockstarter.service.client.Client;

/**
 * What the OpenAPI description says of all operations.
 */
@Configuration(proxyBeanMethods = false)
class ApiDescription {

	private static final String PROBLEM = ProblemDetail.class.getSimpleName();

	static {
		SpringDocUtils.getConfig().addRequestWrapperToIgnore(Client.class);
	}

	@Bean
	OpenAPI lockServiceApi() {
		OpenAPI api = new OpenAPI().info(new Info().title("Lock service")
			.version("1")
			.description(
					"One at a time, over all clients and servers: a lock is acquired, extended and released by HTTP."));
		api.schemaRequirement("apiKey",
				new SecurityScheme().type(SecurityScheme.Type.APIKEY).in(SecurityScheme.In.HEADER).name("X-API-Key"));
		api.schemaRequirement("bearer", new SecurityScheme().type(SecurityScheme.Type.HTTP).scheme("bearer"));
		ModelConverters.getInstance(true).readAll(ProblemDetail.class).forEach(api::schema);
		return api.addSecurityItem(new SecurityRequirement().addList("apiKey"))
			.addSecurityItem(new SecurityRequirement().addList("bearer"));
	}

	@Bean
	GlobalOperationCustomizer lockServiceProblems() {
		return (operation, handler) -> {
			problem(operation, "400", "The request is invalid");
			problem(operation, "401", "There is no API key, or nobody has it");
			if (operation.getOperationId().startsWith("acquire")) {
				problem(operation, "403", "This is more than the client may have");
				problem(operation, "409",
						"Somebody else holds the lock, or too many requests wait for it already; Retry-After tells until when");
			}
			if (operation.getOperationId().startsWith("release")) {
				problem(operation, "409", "The token does not hold the lock, or not any more");
			}
			problem(operation, "429", "Too many wrong API keys came from this address");
			problem(operation, "503", "The lock store is out of reach or slow");
			return operation;
		};
	}

	private static void problem(Operation operation, String status, String description) {
		Content content = new Content().addMediaType(MediaType.APPLICATION_PROBLEM_JSON_VALUE,
				new io.swagger.v3.oas.models.media.MediaType().schema(new Schema<>().$ref(PROBLEM)));
		operation.getResponses().addApiResponse(status, new ApiResponse().description(description).content(content));
	}

}
