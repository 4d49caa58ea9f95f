package io.github.lockstarter.key;

import java.security.Principal;

import org.jspecify.annotations.Nullable;

/**
 * The HTTP request that a call belongs to, as far as keys may look at it.
 */
public interface CurrentRequest {

	/** Outside of requests. */
	CurrentRequest NONE = new Absent();

	/** Returns who calls. */
	@Nullable Principal principal();

	/** Returns the first value of a header. */
	@Nullable String header(String name);

	/** Returns the path within the application, in one form for all ways to write it. */
	@Nullable String path();

	/** Outside of requests. */
	record Absent() implements CurrentRequest {

		@Override
		public @Nullable Principal principal() {
			return null;
		}

		@Override
		public @Nullable String header(String name) {
			return null;
		}

		@Override
		public @Nullable String path() {
			return null;
		}

	}

}
