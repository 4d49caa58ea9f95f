package io.github.lockstarter.autoconfigure;

import java.io.InputStream;
import java.io.Writer;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.Resource;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What cannot be shared or replayed does not start.
 */
class SharingStartTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory");

	@ParameterizedTest
	@ValueSource(classes = { CallableValue.class, Deferred.class, Emitter.class, Streaming.class, OfResource.class,
			EntityOfResource.class, EntityOfStreaming.class, ViewName.class, ViewInMono.class, OfModelAndView.class,
			OfAnyEntity.class, OfObject.class, FutureOfObject.class, MonoOfEntityOfFlux.class, EntityOfMono.class,
			FluxOfStreams.class, WritesItself.class, NotReadable.class, OwnFuture.class, TwoLocks.class,
			WithoutKey.class, ReactiveBody.class, StreamedBody.class, BadReplay.class, NoReplay.class,
			TooLongReplay.class })
	@DisplayName("What cannot be shared or replayed stops the start, and names the method")
	void failsAtStart(Class<?> type) {
		this.runner.withBean(type).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).hasStackTraceContaining(LockConfigurationException.class.getName())
				.hasStackTraceContaining(type.getSimpleName() + ".method");
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { Body.class, OfVoid.class, OfFuture.class, OfFlux.class, Plain.class })
	@DisplayName("What can be shared starts")
	void starts(Class<?> type) {
		this.runner.withBean(type).run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(classes = { OfFuture.class, Plain.class, ReplayedFuture.class })
	@DisplayName("A handler of WebFlux whose result does not tell the request to which it belongs stops the start")
	void notForWebFlux(Class<?> type) {
		assertThatThrownBy(() -> TestServer
			.start(new Class<?>[] { TestServer.Application.class, type }, "lock.store=memory",
					"spring.main.web-application-type=reactive")
			.close()).isInstanceOf(LockConfigurationException.class)
			.hasMessageContaining(type.getSimpleName() + ".method")
			.hasMessageContaining("in Spring WebFlux");
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

	@RestController
	static class OfResource {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public Resource method() {
			return null;
		}

	}

	@RestController
	static class EntityOfResource {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public ResponseEntity<Resource> method() {
			return null;
		}

	}

	@Controller
	static class ViewName {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public String method() {
			return "view";
		}

	}

	@Controller
	static class ViewInMono {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public Mono<String> method() {
			return Mono.just("view");
		}

	}

	@Controller
	static class OfModelAndView {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public ModelAndView method() {
			return new ModelAndView();
		}

	}

	@RestController
	static class OfAnyEntity {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public ResponseEntity<?> method() {
			return ResponseEntity.ok("a");
		}

	}

	@RestController
	static class OfObject {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public Object method() {
			return "a";
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

	@RestController
	static class WritesItself {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public void method(Writer writer) {
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

	@RestController
	static class ReactiveBody {

		@ExclusiveRequest(key = "header('a')", replay = "1h")
		@PostMapping("/")
		public Mono<String> method(@RequestBody Mono<String> body) {
			return body;
		}

	}

	@RestController
	static class StreamedBody {

		@ExclusiveRequest(key = "header('a')", replay = "1h")
		@PostMapping("/")
		public String method(InputStream body) {
			return "a";
		}

	}

	static class BadReplay {

		@ExclusiveRequest(key = "#key", replay = "1x")
		public String method(String key) {
			return key;
		}

	}

	static class NoReplay {

		@ExclusiveRequest(key = "#key", replay = "0s")
		public String method(String key) {
			return key;
		}

	}

	static class TooLongReplay {

		@ExclusiveRequest(key = "#key", replay = "366d")
		public String method(String key) {
			return key;
		}

	}

	@Controller
	static class Body {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		@ResponseBody
		public String method() {
			return "a";
		}

	}

	static class OfVoid {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		public void method(String key) {
		}

	}

	@RestController
	static class OfFuture {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public CompletableFuture<String> method() {
			return CompletableFuture.completedFuture("a");
		}

	}

	static class OfFlux {

		@ExclusiveRequest(key = "#key", replay = "365d")
		public Flux<String> method(String key) {
			return Flux.just(key);
		}

	}

	@RestController
	static class Plain {

		@ExclusiveRequest(onConflict = OnConflict.SHARE)
		@PostMapping("/")
		public String method() {
			return "a";
		}

	}

	@RestController
	static class ReplayedFuture {

		@ExclusiveRequest(key = "#key", replay = "1h")
		@PostMapping("/")
		public CompletableFuture<String> method(String key) {
			return CompletableFuture.completedFuture(key);
		}

	}

}
