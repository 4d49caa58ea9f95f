package io.github.lockstarter.key;

import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.util.InvalidMimeTypeException;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

import io.github.lockstarter.key.RequestContent.Body;

/**
 * A fingerprint of what the client of a request has sent: method, path with its matrix
 * parameters, parameters, body and parts. Nothing that the application makes of it takes
 * part, nor do headers, cookies or the session. JSON is compared without its white space,
 * and without the order of the members of objects; numbers are compared as they are
 * written.
 */
public final class RequestFingerprint {

	/**
	 * Keeps each digit of a number, and fails on what two readers may read differently.
	 */
	private static final JsonMapper JSON = JsonMapper.builder()
		.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS, DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY,
				DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
		.disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
		.enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED)
		.enable(JsonWriteFeature.ESCAPE_NON_ASCII)
		.build();

	/**
	 * The parameter of Spring Security that belongs to the session, and is new in each
	 * page.
	 */
	private static final String CSRF_TOKEN = "_csrf";

	private final FingerprintParts parts;

	/**
	 * Creates a fingerprint.
	 * @param parts the parts that are left out or added
	 */
	public RequestFingerprint(FingerprintParts parts) {
		this.parts = parts;
	}

	/** Returns the text that is equal for requests with the same content. */
	public String of(RequestContent content, LockInvocation call) {
		List<@Nullable Object> all = new ArrayList<>();
		// The response to a GET request is that to a HEAD request, too.
		all.add(content.method().equals("HEAD") ? "GET" : content.method());
		all.add(call.getPath());
		all.add(new TreeMap<>(content.matrix()));
		Map<String, List<String>> parameters = new TreeMap<>(content.parameters());
		parameters.remove(CSRF_TOKEN);
		this.parts.withoutParameters().forEach(parameters::remove);
		// A text part is a parameter, too.
		this.parts.withoutParts().forEach(parameters::remove);
		all.add(parameters);
		all.add(body(content.body()));
		all.add(content.parts()
			.stream()
			.filter((part) -> !part.name().equals(CSRF_TOKEN) && !this.parts.withoutParts().contains(part.name()))
			.sorted(Comparator.comparing(RequestContent.Part::name))
			.map(RequestFingerprint::part)
			.toList());
		Map<String, List<String>> headers = new TreeMap<>();
		this.parts.headers().forEach((name) -> headers.put(name, call.headers(name)));
		all.add(headers);
		return JSON.writeValueAsString(all);
	}

	private static Map<String, @Nullable Object> part(RequestContent.Part part) {
		Map<String, @Nullable Object> all = new LinkedHashMap<>();
		all.put("name", part.name());
		all.put("fileName", part.fileName());
		all.put("contentType", part.contentType());
		all.put("digest", part.digest());
		return all;
	}

	private Object body(Body body) {
		if (body.bytes().length > 0 && isJson(body.contentType())) {
			try {
				JsonNode tree = JSON.readTree(body.bytes());
				this.parts.withoutMembers().forEach((pointer) -> {
					if (tree.at(pointer.head()) instanceof ObjectNode parent) {
						parent.remove(pointer.last().getMatchingProperty());
					}
				});
				return Map.of("json", tree);
			}
			catch (JacksonException ex) {
				// The application may accept what JSON does not allow.
			}
		}
		return Base64.getEncoder().encodeToString(body.bytes());
	}

	private static boolean isJson(@Nullable String contentType) {
		try {
			MimeType type = (contentType != null) ? MimeTypeUtils.parseMimeType(contentType) : null;
			return type != null
					&& (type.isCompatibleWith(MimeTypeUtils.APPLICATION_JSON) || type.getSubtype().endsWith("+json"));
		}
		catch (InvalidMimeTypeException ex) {
			return false;
		}
	}

}
