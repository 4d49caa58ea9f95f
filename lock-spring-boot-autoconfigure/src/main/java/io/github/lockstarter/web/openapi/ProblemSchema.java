package io.github.lockstarter.web.openapi;

import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.responses.ApiResponse;

import org.springframework.http.HttpHeaders;

/**
 * The problem details that are sent for locks, with their extension members at the top
 * level, as they are sent.
 */
public final class ProblemSchema {

	/** The name of the schema. */
	public static final String NAME = "LockProblem";

	private static final String REFERENCE = Components.COMPONENTS_SCHEMAS_REF + NAME;

	private ProblemSchema() {
	}

	/** Returns the schema. */
	public static Schema<?> schema() {
		return new Schema<>().type("object")
			.description("Problem details (RFC 9457)")
			.addProperty("type", new StringSchema().format("uri").description("Identifies the kind of problem."))
			.addProperty("title", new StringSchema().description("Names the kind of problem."))
			.addProperty("status", new IntegerSchema().format("int32").description("The HTTP status."))
			.addProperty("detail", new StringSchema().description("Says what happened, and what to do."))
			.addProperty("instance", new StringSchema().format("uri-reference").description("The path of the request."))
			.addProperty("retryAfterMillis", new IntegerSchema().format("int64")
				.description("Milliseconds after which a retry may succeed. Only where a lock is held."));
	}

	/** Returns an answer with a problem. */
	public static ApiResponse response(String description, boolean retryAfter) {
		Content content = new Content().addMediaType(org.springframework.http.MediaType.APPLICATION_PROBLEM_JSON_VALUE,
				new MediaType().schema(new Schema<>().$ref(REFERENCE)));
		ApiResponse response = new ApiResponse().description(description).content(content);
		return retryAfter ? response.addHeaderObject(HttpHeaders.RETRY_AFTER, retryAfter()) : response;
	}

	private static Header retryAfter() {
		return new Header().description("Seconds after which a retry may succeed.")
			.schema(new IntegerSchema().format("int32"));
	}

	/** Adds the schema to a document that refers to it. */
	static void addTo(OpenAPI document) {
		boolean used = document.getPaths() != null && document.getPaths()
			.values()
			.stream()
			.flatMap((path) -> path.readOperations().stream())
			.filter((operation) -> operation.getResponses() != null)
			.flatMap((operation) -> operation.getResponses().values().stream())
			.anyMatch(ProblemSchema::refersTo);
		if (used) {
			document.schema(NAME, schema());
		}
	}

	private static boolean refersTo(ApiResponse response) {
		return response.getContent() != null && response.getContent()
			.values()
			.stream()
			.anyMatch((type) -> type.getSchema() != null && REFERENCE.equals(type.getSchema().get$ref()));
	}

}
