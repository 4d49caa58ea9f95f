package io.github.lockstarter.autoconfigure;

import java.io.InputStream;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;

/**
 * Methods whose results cannot be shared or replayed, each for a different reason.
 */
final class UnshareableHandlers {

	private UnshareableHandlers() {
	}

	@RestController
	static class CallableValue {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public Callable<String> method() {
			return () -> "later";
		}

	}

	@RestController
	static class Deferred {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public DeferredResult<String> method() {
			return new DeferredResult<>();
		}

	}

	@RestController
	static class Emitter {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public SseEmitter method() {
			return new SseEmitter();
		}

	}

	@RestController
	static class Streaming {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public StreamingResponseBody method() {
			return (out) -> out.write(1);
		}

	}

	@RestController
	static class EntityOfStreaming {

		@ExclusiveRequest(key = "header('a')", replay = "1h")
		@PostMapping("/")
		public ResponseEntity<StreamingResponseBody> method() {
			return ResponseEntity.ok((out) -> out.write(1));
		}

	}

	static class FutureOfObject {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		public CompletableFuture<?> method() {
			return CompletableFuture.completedFuture("a");
		}

	}

	@RestController
	static class MonoOfEntityOfFlux {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public Mono<ResponseEntity<Flux<String>>> method() {
			return Mono.empty();
		}

	}

	@RestController
	static class EntityOfMono {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public ResponseEntity<Mono<String>> method() {
			return ResponseEntity.ok(Mono.empty());
		}

	}

	static class FluxOfStreams {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		public Flux<InputStream> method() {
			return Flux.empty();
		}

	}

	static class NotReadable {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		public List<Comparing> method() {
			return List.of();
		}

	}

	interface Comparing {

		String name();

	}

	static class OwnFuture {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		public MyFuture method() {
			return new MyFuture();
		}

	}

	static class MyFuture extends CompletableFuture<String> {

	}

	static class TwoLocks {

		@ExclusiveRequest(name = "one", onConflict = OnConflict.SHARE)
		@ExclusiveRequest(name = "two")
		public String method() {
			return "a";
		}

	}

	@RestController
	static class WithoutKey {

		@ExclusiveRequest(replay = "1h")
		@PostMapping("/")
		public String method() {
			return "a";
		}

	}

}
