package io.github.lockstarter.key;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.POJONode;

/** The content of a tree of JSON as texts, numbers, lists and maps. */
final class JsonContent {

	private JsonContent() {
	}

	/** Returns the content; {@code null} if the node is null or missing. */
	static @Nullable Object of(JsonNode node) {
		return switch (node.getNodeType()) {
			case OBJECT -> {
				Map<String, @Nullable Object> content = new HashMap<>();
				node.properties().forEach((property) -> content.put(property.getKey(), of(property.getValue())));
				yield content;
			}
			case ARRAY -> node.values().stream().map(JsonContent::of).toList();
			case STRING -> node.stringValue();
			case NUMBER -> node.numberValue();
			case BOOLEAN -> node.booleanValue();
			case BINARY -> node.binaryValue();
			case POJO -> ((POJONode) node).getPojo();
			case NULL, MISSING -> null;
		};
	}

}
