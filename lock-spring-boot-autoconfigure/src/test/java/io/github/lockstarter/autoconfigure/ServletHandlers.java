package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.servlet.http.HttpServletResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.Jobs;

/**
 * A Spring MVC handler for each supported return type.
 */
@RestController
@RequestMapping("/servlet")
@ExclusiveRequest(name = "handler", key = "#key")
class ServletHandlers {

	private final Jobs jobs;

	ServletHandlers(Jobs jobs) {
		this.jobs = jobs;
	}

	@PostMapping("/value")
	String value(@RequestParam String key) {
		return this.jobs.get(key).run();
	}

	@PostMapping("/entity")
	ResponseEntity<String> entity(@RequestParam String key) {
		return ResponseEntity.ok(this.jobs.get(key).run());
	}

	@PostMapping("/void")
	void nothing(@RequestParam String key, HttpServletResponse response) throws IOException {
		response.getWriter().write(this.jobs.get(key).run());
	}

	@PostMapping("/view")
	ModelAndView view(@RequestParam String key) {
		this.jobs.get(key).run();
		return new ModelAndView("redirect:/elsewhere");
	}

	@PostMapping("/stage")
	CompletionStage<String> stage(@RequestParam String key) {
		return this.jobs.get(key).begin().thenApply((value) -> value);
	}

	@PostMapping("/future")
	CompletableFuture<ResponseEntity<String>> future(@RequestParam String key) {
		return this.jobs.get(key).begin().thenApply(ResponseEntity::ok);
	}

	@PostMapping("/callable")
	Callable<String> callable(@RequestParam String key) {
		return () -> this.jobs.get(key).run();
	}

	@PostMapping("/task")
	WebAsyncTask<String> task(@RequestParam String key) {
		return new WebAsyncTask<>(() -> this.jobs.get(key).run());
	}

	@PostMapping("/deferred")
	DeferredResult<String> deferred(@RequestParam String key) {
		DeferredResult<String> result = new DeferredResult<>();
		this.jobs.get(key).begin().whenComplete((value, failure) -> {
			if (failure != null) {
				result.setErrorResult(failure);
			}
			else {
				result.setResult(value);
			}
		});
		return result;
	}

	@PostMapping("/emitter")
	ResponseBodyEmitter emitter(@RequestParam String key) {
		return emit(key, new ResponseBodyEmitter());
	}

	@PostMapping("/sse")
	SseEmitter sse(@RequestParam String key) {
		return emit(key, new SseEmitter());
	}

	@PostMapping("/sse-entity")
	ResponseEntity<SseEmitter> sseEntity(@RequestParam String key) {
		return ResponseEntity.ok(emit(key, new SseEmitter()));
	}

	@PostMapping("/stream")
	StreamingResponseBody stream(@RequestParam String key) {
		return (out) -> out.write(this.jobs.get(key).run().getBytes(StandardCharsets.UTF_8));
	}

	@PostMapping("/stream-entity")
	ResponseEntity<StreamingResponseBody> streamEntity(@RequestParam String key) {
		return ResponseEntity.ok(stream(key));
	}

	@PostMapping("/future-stream")
	CompletableFuture<ResponseEntity<StreamingResponseBody>> futureStream(@RequestParam String key) {
		return CompletableFuture.supplyAsync(() -> streamEntity(key));
	}

	@PostMapping("/future-sse")
	CompletableFuture<SseEmitter> futureSse(@RequestParam String key) {
		return CompletableFuture.supplyAsync(() -> sse(key));
	}

	@PostMapping("/callable-stream")
	Callable<ResponseEntity<StreamingResponseBody>> callableStream(@RequestParam String key) {
		return () -> streamEntity(key);
	}

	@PostMapping("/deferred-sse")
	DeferredResult<ResponseEntity<SseEmitter>> deferredSse(@RequestParam String key) {
		DeferredResult<ResponseEntity<SseEmitter>> result = new DeferredResult<>();
		result.setResult(sseEntity(key));
		return result;
	}

	@PostMapping("/callable-future")
	Callable<CompletableFuture<ResponseEntity<String>>> callableFuture(@RequestParam String key) {
		return () -> future(key);
	}

	@PostMapping("/callable-mono")
	Callable<ResponseEntity<Mono<String>>> callableMono(@RequestParam String key) {
		return () -> entityMono(key);
	}

	@PostMapping("/deferred-stage")
	DeferredResult<CompletionStage<String>> deferredStage(@RequestParam String key) {
		DeferredResult<CompletionStage<String>> result = new DeferredResult<>();
		result.setResult(stage(key));
		return result;
	}

	@PostMapping("/deferred-mono")
	DeferredResult<Mono<String>> deferredMono(@RequestParam String key) {
		DeferredResult<Mono<String>> result = new DeferredResult<>();
		result.setResult(mono(key));
		return result;
	}

	@PostMapping("/mono")
	Mono<String> mono(@RequestParam String key) {
		return Mono.fromFuture(this.jobs.get(key).begin(), true);
	}

	@PostMapping("/mono-entity")
	Mono<ResponseEntity<String>> monoEntity(@RequestParam String key) {
		return mono(key).map(ResponseEntity::ok);
	}

	@PostMapping("/entity-mono")
	ResponseEntity<Mono<String>> entityMono(@RequestParam String key) {
		return ResponseEntity.ok(mono(key));
	}

	@PostMapping("/flux")
	Flux<List<String>> flux(@RequestParam String key) {
		return Flux.concat(Mono.just("first"), mono(key)).map(List::of);
	}

	@PostMapping(path = "/flux-sse", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
	Flux<List<String>> fluxSse(@RequestParam String key) {
		return flux(key);
	}

	private <T extends ResponseBodyEmitter> T emit(String key, T emitter) {
		this.jobs.get(key).begin().whenComplete((value, failure) -> {
			try {
				if (failure != null) {
					emitter.completeWithError(failure);
				}
				else {
					emitter.send(value);
					emitter.complete();
				}
			}
			catch (IOException | IllegalStateException ex) {
				emitter.completeWithError(ex);
			}
		});
		return emitter;
	}

}
