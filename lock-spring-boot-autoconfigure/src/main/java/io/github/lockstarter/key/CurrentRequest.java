package io.github.lockstarter.key;

import java.security.Principal;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The parts of a request that key expressions may read.
 */
public interface CurrentRequest {

	/** The absence of a request. The principal is that of the thread that asks for it. */
	CurrentRequest NONE = new NoRequest(SecurityPrincipal::ofThread);

	/** Returns the absence of a request, for a call of the principal. */
	static CurrentRequest none(@Nullable Principal principal) {
		return new NoRequest(() -> principal);
	}

	/** Returns the principal, which may be anonymous. */
	@Nullable Principal principal();

	/** Returns the values of a header, one for each line. */
	List<String> headers(String name);

	/** Returns the path within the application: decoded, without matrix parameters. */
	@Nullable String path();

	/**
	 * Returns what the client has sent; {@code null} if there is no request, or its
	 * content is not known.
	 */
	@Nullable RequestContent content();

	/** Returns the value of a variable of the path of the handler. */
	@Nullable String pathVariable(String name);

	/**
	 * Returns the first value of a parameter: of the query, and in Spring MVC also of a
	 * form.
	 */
	@Nullable String param(String name);

	/** A call outside of a request. */
	record NoRequest(Supplier<@Nullable Principal> ofCaller) implements CurrentRequest {

		@Override
		public @Nullable Principal principal() {
			return this.ofCaller.get();
		}

		@Override
		public List<String> headers(String name) {
			return List.of();
		}

		@Override
		public @Nullable String path() {
			return null;
		}

		@Override
		public @Nullable RequestContent content() {
			return null;
		}

		@Override
		public @Nullable String pathVariable(String name) {
			return null;
		}

		@Override
		public @Nullable String param(String name) {
			return null;
		}

	}

}
