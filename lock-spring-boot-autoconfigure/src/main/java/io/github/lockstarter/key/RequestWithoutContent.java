package io.github.lockstarter.key;

import java.security.Principal;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A request whose content belongs to another call than the one that asks for it.
 *
 * @param request the request
 */
public record RequestWithoutContent(CurrentRequest request) implements CurrentRequest {

	@Override
	public @Nullable Principal principal() {
		return this.request.principal();
	}

	@Override
	public List<String> headers(String name) {
		return this.request.headers(name);
	}

	@Override
	public @Nullable String path() {
		return this.request.path();
	}

	@Override
	public @Nullable RequestContent content() {
		return null;
	}

	@Override
	public @Nullable String pathVariable(String name) {
		return this.request.pathVariable(name);
	}

	@Override
	public @Nullable String param(String name) {
		return this.request.param(name);
	}

}
