package io.github.lockstarter.key;

import java.security.Principal;

import org.jspecify.annotations.Nullable;

/**
 * The parts of a request that keys may read.
 */
public interface CurrentRequest {

	/** No request. */
	CurrentRequest NONE = new CurrentRequest() {

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

	};

	/** Returns the principal. */
	@Nullable Principal principal();

	/** Returns the first value of a header. */
	@Nullable String header(String name);

	/** Returns the path within the application: decoded, without matrix parameters. */
	@Nullable String path();

}
