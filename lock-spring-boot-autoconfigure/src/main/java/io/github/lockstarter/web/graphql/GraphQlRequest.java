package io.github.lockstarter.web.graphql;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.util.MultiValueMap;

import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.key.RequestContent;
import io.github.lockstarter.key.SecurityPrincipal;

/**
 * The parts of the HTTP request, or of the WebSocket handshake, of a GraphQL request that
 * key expressions may read. They do not change, so any thread may read them, even after
 * the end of the request.
 */
record GraphQlRequest(HttpHeaders headers, @Nullable String path, MultiValueMap<String, String> query,
		Supplier<@Nullable Principal> user) implements CurrentRequest {

	/** The key of the request in the contexts that Spring for GraphQL propagates. */
	static final String KEY = GraphQlRequest.class.getName();

	private static final ThreadLocal<@Nullable CurrentRequest> current = new ThreadLocal<>();

	/** Returns the request that the thread works for; {@code null} if there is none. */
	static @Nullable CurrentRequest current() {
		return current.get();
	}

	/** Sets the request that the thread works for; {@code null} for none. */
	static void current(@Nullable CurrentRequest request) {
		if (request != null) {
			current.set(request);
		}
		else {
			current.remove();
		}
	}

	@Override
	public @Nullable Principal principal() {
		Principal ofRequest = this.user.get();
		return (ofRequest != null) ? ofRequest : SecurityPrincipal.ofThread();
	}

	@Override
	public List<String> headers(String name) {
		return this.headers.getOrDefault(name, List.of());
	}

	/** Its handlers keep values, and their arguments are compared. */
	@Override
	public @Nullable RequestContent content() {
		return null;
	}

	/** The path of a GraphQL endpoint has no variables. */
	@Override
	public @Nullable String pathVariable(String name) {
		return null;
	}

	@Override
	public @Nullable String param(String name) {
		String value = this.query.getFirst(name);
		try {
			// As of a form, where a plus is a blank.
			return (value != null) ? URLDecoder.decode(value, StandardCharsets.UTF_8) : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

}
