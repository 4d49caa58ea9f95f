package io.github.lockstarter.autoconfigure;

import java.util.concurrent.CompletableFuture;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Methods whose results cannot be shared or replayed prevent startup.
 */
class SharingStartTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=memory");

	@ParameterizedTest
	@ValueSource(classes = { UnshareableHandlers.CallableValue.class, UnshareableHandlers.Deferred.class,
			UnshareableHandlers.Emitter.class, UnshareableHandlers.Streaming.class,
			UnshareableHandlers.EntityOfStreaming.class, UnshareableHandlers.FutureOfObject.class,
			UnshareableHandlers.MonoOfEntityOfFlux.class, UnshareableHandlers.EntityOfMono.class,
			UnshareableHandlers.FluxOfStreams.class, UnshareableHandlers.NotReadable.class,
			UnshareableHandlers.OwnFuture.class, UnshareableHandlers.TwoLocks.class,
			UnshareableHandlers.WithoutKey.class, BadReplay.class, BadKeep.class, BadFingerprint.class,
			FingerprintOfService.class, FingerprintWithoutReplay.class, LossyService.class, KeepWithoutReplay.class,
			KeepOfService.class, NoReplay.class, TooLongReplay.class })
	@DisplayName("A method whose result cannot be shared or replayed prevents startup, and the message names it")
	void failsAtStart(Class<?> type) {
		this.runner.withBean(type).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).hasStackTraceContaining(LockConfigurationException.class.getName())
				.hasStackTraceContaining(type.getSimpleName() + ".method");
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { ResponseHandlers.OfResource.class, ResponseHandlers.EntityOfResource.class,
			ResponseHandlers.ViewName.class, ResponseHandlers.ViewInMono.class, ResponseHandlers.OfModelAndView.class,
			ResponseHandlers.OfAnyEntity.class, ResponseHandlers.OfObject.class, ResponseHandlers.WritesItself.class,
			ResponseHandlers.WritesText.class, ResponseHandlers.ReactiveBody.class, ResponseHandlers.StreamedBody.class,
			Body.class, OfVoid.class, OfFuture.class, OfFlux.class, Plain.class, Redirecting.class,
			KeptValuesOfService.class })
	@DisplayName("Methods whose results can be shared start")
	void starts(Class<?> type) {
		this.runner.withBean(type).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	@DisplayName("The message names the property that a bean method would lose")
	void lostProperty() {
		this.runner.withBean(LossyService.class)
			.run((context) -> assertThat(context.getStartupFailure())
				.hasStackTraceContaining("the property 'id' of " + Receipt.class.getName()));
	}

	@ParameterizedTest
	@ValueSource(classes = { OfFuture.class, Plain.class, ReplayedFuture.class })
	@DisplayName("A WebFlux handler with a result type that cannot access the request prevents startup")
	void notForWebFlux(Class<?> type) {
		assertThatThrownBy(() -> TestServer
			.start(new Class<?>[] { TestServer.Application.class, type }, "lock.store=memory",
					"spring.main.web-application-type=reactive")
			.close()).isInstanceOf(LockConfigurationException.class)
			.hasMessageContaining(type.getSimpleName() + ".method")
			.hasMessageContaining("in Spring WebFlux");
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

	@Controller
	static class Redirecting {

		@ExclusiveRequest(key = "#key", replay = "1h", keep = "${keep:2xx, 303}")
		@PostMapping("/")
		public String method(String key) {
			return "redirect:/";
		}

	}

	static class KeptValuesOfService {

		@ExclusiveRequest(key = "#key", replay = "1h", keep = "values")
		public String method(String key) {
			return key;
		}

	}

	static class BadKeep {

		@ExclusiveRequest(key = "#key", replay = "1h", keep = "everything")
		public String method(String key) {
			return key;
		}

	}

	@RestController
	static class BadFingerprint {

		@ExclusiveRequest(key = "#key", replay = "1h", fingerprint = "param.a")
		@PostMapping("/")
		public String method(String key) {
			return key;
		}

	}

	static class FingerprintOfService {

		@ExclusiveRequest(key = "#key", replay = "1h", fingerprint = "-param.a")
		public String method(String key) {
			return key;
		}

	}

	@RestController
	static class FingerprintWithoutReplay {

		@ExclusiveRequest(key = "#key", onConflict = OnConflict.SHARE, fingerprint = "-param.a")
		@PostMapping("/")
		public String method(String key) {
			return key;
		}

	}

	static class LossyService {

		@ExclusiveRequest(key = "#key", replay = "1h")
		public Receipt method(String key) {
			return new Receipt();
		}

	}

	static class Receipt {

		@JsonProperty(access = JsonProperty.Access.READ_ONLY)
		public Long id;

	}

	@RestController
	static class KeepWithoutReplay {

		@ExclusiveRequest(key = "#key", keep = "all")
		@PostMapping("/")
		public String method(String key) {
			return key;
		}

	}

	static class KeepOfService {

		@ExclusiveRequest(key = "#key", replay = "1h", keep = "all")
		public String method(String key) {
			return key;
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

}
