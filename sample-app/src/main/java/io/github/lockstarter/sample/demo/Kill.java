package io.github.lockstarter.sample.demo;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * The end of a server in the middle of a run.
 *
 * @param server the server
 * @param future when it was killed
 */
record Kill(Instance server, CompletableFuture<Instant> future) {

	@Nullable Instant time() {
		return this.future.getNow(null);
	}

}
