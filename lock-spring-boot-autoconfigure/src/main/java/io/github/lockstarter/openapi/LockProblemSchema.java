package io.github.lockstarter.openapi;

import java.util.Objects;
import java.util.stream.Stream;

import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.PathItem;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.ObjectSchema;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;

/**
 * Adds the schema {@code LockProblem}, the problem details of a
 * {@link io.github.lockstarter.LockException}, to each document that refers to it.
 * Applications can refer to it as well, in their own descriptions of such responses.
 */
public final class LockProblemSchema implements GlobalOpenApiCustomizer {

	static final String NAME = "LockProblem";

	@Override
	public void customise(OpenAPI api) {
		Schema<?> reference = reference();
		boolean known = api.getComponents() != null && api.getComponents().getSchemas() != null
				&& api.getComponents().getSchemas().containsKey(NAME);
		if (!known && schemas(api).map(Schema::get$ref).anyMatch(reference.get$ref()::equals)) {
			api.schema(NAME, schema());
		}
	}

	static Schema<?> reference() {
		return new Schema<>().$ref(NAME);
	}

	private static Stream<Schema<?>> schemas(OpenAPI api) {
		return Stream.ofNullable(api.getPaths())
			.flatMap((paths) -> paths.values().stream())
			.map(PathItem::readOperations)
			.flatMap((operations) -> operations.stream())
			.flatMap((operation) -> Stream.ofNullable(operation.getResponses()))
			.flatMap((responses) -> responses.values().stream())
			.map(ApiResponse::getContent)
			.filter(Objects::nonNull)
			.map(Content::values)
			.flatMap((types) -> types.stream())
			.flatMap((type) -> Stream.<Schema<?>>ofNullable(type.getSchema()));
	}

	private static Schema<?> schema() {
		return new ObjectSchema().description("Problem details (RFC 9457).")
			.addProperty("type", new StringSchema().format("uri").description("The type of the problem."))
			.addProperty("title", new StringSchema().description("A short summary of the problem."))
			.addProperty("status", new IntegerSchema().description("The status of the response."))
			.addProperty("detail", new StringSchema().description("What the client can do about it."))
			.addProperty("instance", new StringSchema().format("uri-reference").description("The path of the request."))
			.addProperty("retryAfterMillis", new IntegerSchema().format("int64")
				.description("If the lock is held: the number of milliseconds after which a retry may succeed."));
	}

}
