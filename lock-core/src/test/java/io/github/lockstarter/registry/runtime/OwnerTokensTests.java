package io.github.lockstarter.registry.runtime;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OwnerTokensTests {

	@Test
	@DisplayName("However many threads create them, owner tokens are distinct and have 128 bits")
	void ownersDiffer() throws Exception {
		OwnerTokens tokens = new OwnerTokens(new SecureRandom());
		Set<String> owners = ConcurrentHashMap.newKeySet();
		Runnable draw = () -> {
			for (int i = 0; i < 20_000; i++) {
				owners.add(tokens.next());
			}
		};
		ExecutorService threads = Executors.newFixedThreadPool(4);
		try {
			threads
				.invokeAll(List.of(Executors.callable(draw), Executors.callable(draw), Executors.callable(draw),
						Executors.callable(draw)))
				.forEach((drawn) -> assertThat(drawn).succeedsWithin(Duration.ofSeconds(30)));
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(owners).hasSize(80_000).allMatch((owner) -> owner.matches("[0-9a-f]{32}"));
	}

}
