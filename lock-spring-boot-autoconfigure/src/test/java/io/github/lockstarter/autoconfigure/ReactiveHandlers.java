package io.github.lockstarter.autoconfigure;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Single;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.ResponseStatusException;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.Jobs;

/**
 * A handler of Spring WebFlux for each type that it may return.
 */
@RestController
@RequestMapping("/reactive")
@ExclusiveRequest(name = "handler", key = "#key")
class ReactiveHandlers {

	private static final Mono<String> UNAVAILABLE = Mono
		.error(() -> new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE));

	private final Jobs jobs;

	ReactiveHandlers(Jobs jobs) {
		this.jobs = jobs;
	}

	@PostMapping("/mono")
	Mono<String> mono(@RequestParam String key) {
		return Mono.fromFuture(this.jobs.get(key).begin(), true);
	}

	@PostMapping("/mono-timeout")
	Mono<String> monoTimeout(@RequestParam String key) {
		return mono(key).timeout(GuardedHandlers.TIMEOUT, UNAVAILABLE);
	}

	@PostMapping("/entity-mono-timeout")
	ResponseEntity<Mono<String>> entityMonoTimeout(@RequestParam String key) {
		return ResponseEntity.ok(monoTimeout(key));
	}

	@PostMapping("/single")
	Single<String> single(@RequestParam String key) {
		return Single.fromPublisher(mono(key));
	}

	@PostMapping("/flowable")
	Flowable<String> flowable(@RequestParam String key) {
		return Flowable.fromPublisher(flux(key));
	}

	@PostMapping("/mono-void")
	Mono<Void> monoVoid(@RequestParam String key) {
		return mono(key).then();
	}

	@PostMapping("/mono-entity")
	Mono<ResponseEntity<String>> monoEntity(@RequestParam String key) {
		return mono(key).map(ResponseEntity::ok);
	}

	@PostMapping("/mono-entity-flux")
	Mono<ResponseEntity<Flux<String>>> monoEntityFlux(@RequestParam String key) {
		return Mono.just(ResponseEntity.ok(flux(key)));
	}

	@PostMapping("/entity")
	ResponseEntity<String> entity(@RequestParam String key) {
		this.jobs.get(key).begin();
		return ResponseEntity.ok("done");
	}

	@PostMapping("/entity-mono")
	ResponseEntity<Mono<String>> entityMono(@RequestParam String key) {
		return ResponseEntity.ok(mono(key));
	}

	@PostMapping("/entity-flux")
	ResponseEntity<Flux<String>> entityFlux(@RequestParam String key) {
		return ResponseEntity.ok(flux(key));
	}

	@PostMapping("/flux")
	Flux<String> flux(@RequestParam String key) {
		return Flux.concat(Mono.just("first"), mono(key));
	}

	@PostMapping(path = "/sse", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
	Flux<String> sse(@RequestParam String key) {
		return flux(key);
	}

	@PostMapping("/sse-event")
	Flux<ServerSentEvent<String>> sseEvent(@RequestParam String key) {
		return flux(key).map((value) -> ServerSentEvent.builder(value).build());
	}

	@PostMapping("/future")
	CompletableFuture<String> future(@RequestParam String key) {
		return this.jobs.get(key).begin().thenApply((value) -> value);
	}

	@PostMapping("/stage")
	CompletionStage<String> stage(@RequestParam String key) {
		return future(key);
	}

	/** Functional endpoints have no method to annotate. */
	static class Functional {

		@Bean
		RouterFunction<ServerResponse> route(LockRegistry locks, Jobs jobs) {
			return RouterFunctions.route()
				.POST("/functional", (request) -> handle(request, locks, jobs))
				.POST("/free", (request) -> ServerResponse.ok().build())
				.build();
		}

		private static Mono<ServerResponse> handle(ServerRequest request, LockRegistry locks, Jobs jobs) {
			String key = request.queryParam("key").orElseThrow();
			return Mono.usingWhen(Mono.fromCompletionStage(() -> locks.acquireAsync("handler:" + key)),
					(lease) -> Mono.fromFuture(jobs.get(key).begin(), true)
						.flatMap((value) -> ServerResponse.ok().bodyValue(value)),
					(lease) -> Mono.fromCompletionStage(lease::releaseAsync));
		}

	}

}
