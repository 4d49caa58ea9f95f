package io.github.lockstarter.web.reactive;

import java.time.Duration;
import java.util.List;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.WebFilter;

import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.MissingLockKeyException;

/**
 * A reactive application that fails in each place where an application can fail. The last
 * segment of the path selects the exception.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class FailingApplication {

	private static final LockKey SECRET = new LockKey("some", "secret");

	private static LockException problem(String name) {
		return switch (name) {
			case "conflict" -> conflict();
			case "annotated" -> conflict().withStatusCode(HttpStatus.UNPROCESSABLE_CONTENT);
			case "lost" -> new LeaseLostException(SECRET);
			case "store" -> new LockStoreException(SECRET, "down", new IllegalStateException("internal"));
			case "key" -> new MissingLockKeyException("some");
			default -> throw new IllegalArgumentException(name);
		};
	}

	private static LockConflictException conflict() {
		return new LockConflictException(SECRET,
				LockOptions.of(Duration.ofSeconds(5)).withWaitTime(Duration.ofSeconds(1)), Duration.ofMillis(1840));
	}

	@Bean
	RouterFunction<ServerResponse> functions() {
		return RouterFunctions.route().POST("/function/thrown/{problem}", (request) -> {
			throw problem(request.pathVariable("problem"));
		})
			.POST("/function/mono/{problem}", (request) -> Mono.error(problem(request.pathVariable("problem"))))
			.POST("/function/body/{problem}",
					(request) -> ServerResponse.ok()
						.contentType(MediaType.TEXT_PLAIN)
						.body(Mono.error(problem(request.pathVariable("problem"))), String.class))
			.build();
	}

	@Bean
	WebFilter filter() {
		return (exchange, chain) -> {
			List<String> path = List.of(exchange.getRequest().getPath().value().split("/"));
			if (path.contains("filter") && path.contains("thrown")) {
				throw problem(path.get(3));
			}
			return path.contains("filter") ? Mono.error(problem(path.get(3))) : chain.filter(exchange);
		};
	}

	@RestController
	static class Controller {

		private final LockRegistry locks;

		Controller(LockRegistry locks) {
			this.locks = locks;
		}

		@PostMapping("/users")
		Mono<String> register(@RequestParam String userName) {
			LockKey key = new LockKey("users", userName);
			LockOptions options = LockOptions.of(Duration.ofSeconds(30));
			return Mono.fromCompletionStage(() -> this.locks.tryAcquireAsync(key, options))
				.map((lease) -> lease
					.orElseThrow(() -> new LockConflictException(key, options, Duration.ofSeconds(30))))
				.flatMap((lease) -> Mono.fromCompletionStage(lease.releaseAsync()).thenReturn("registered"));
		}

		@PostMapping("/controller/thrown/{problem}")
		String thrown(@PathVariable String problem) {
			throw problem(problem);
		}

		@PostMapping("/controller/mono/{problem}")
		Mono<String> mono(@PathVariable String problem) {
			return Mono.error(problem(problem));
		}

		@PostMapping("/controller/flux/{problem}")
		Flux<String> flux(@PathVariable String problem) {
			return Flux.error(problem(problem));
		}

		@PostMapping(path = "/stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
		Flux<String> stream() {
			return Flux.just("first").concatWith(Flux.error(problem("lost")));
		}

	}

}
