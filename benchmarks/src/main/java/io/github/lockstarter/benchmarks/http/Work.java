package io.github.lockstarter.benchmarks.http;

import java.time.Duration;

import reactor.core.publisher.Mono;

/**
 * The work of a request under the lock: a wait.
 */
final class Work {

	private static final String RESULT = "done";

	private Work() {
	}

	static String blocking(long millis) throws InterruptedException {
		if (millis > 0) {
			Thread.sleep(millis);
		}
		return RESULT;
	}

	static Mono<String> reactive(long millis) {
		return (millis > 0) ? Mono.delay(Duration.ofMillis(millis)).thenReturn(RESULT) : Mono.just(RESULT);
	}

}
