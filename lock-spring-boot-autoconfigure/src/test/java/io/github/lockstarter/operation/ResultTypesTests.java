package io.github.lockstarter.operation;

import java.io.OutputStream;
import java.io.Writer;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.result.ResultType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ResultTypesTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			value        | java.lang.String | false
			list         | java.util.List<java.lang.String> | false
			stage        | java.lang.String | false
			future       | java.util.List<java.lang.String> | false
			mono         | java.lang.String | false
			flux         | java.lang.String | true
			entityOfList | org.springframework.http.ResponseEntity<java.util.List<java.lang.String>> | false
			monoOfEntity | org.springframework.http.ResponseEntity<java.lang.String> | false
			""")
	@DisplayName("The type of a result is that of the value with which the work ends")
	void types(String method, String type, boolean many) {
		ResultType result = of(Service.class, method);
		assertThat(result.type()).hasToString(type);
		assertThat(result.many()).isEqualTo(many);
		assertThat(result.ofHandler()).isFalse();
		assertThat(result.owner()).isEqualTo(Service.class);
	}

	@Test
	@DisplayName("A type variable is that of the class of the bean")
	void generic() {
		for (String method : List.of("value", "stage", "mono")) {
			ResultType result = of(OfString.class, method);
			assertThat(result.type()).hasToString("java.lang.String");
			assertThat(result.owner()).isEqualTo(OfString.class);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "plainFuture", "fluxOfEntity", "monoOfFlux", "stageOfStage", "stageOfEntityOfMono",
			"callable", "writer", "output" })
	@DisplayName("A result that can be read only once, or that the method writes itself, is an error at startup, and the message names the method")
	void invalid(String method) {
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> of(Invalid.class, method))
			.withMessageContaining("Invalid." + method + "(")
			.withMessageContaining("cannot share or replay what the method returns");
	}

	@Test
	@DisplayName("Of a mapped method of a controller, the response is shared, although it writes it itself; not of its other methods")
	void handlers() {
		assertThat(of(Handlers.class, "handle").ofHandler()).isTrue();
		assertThat(of(Handlers.class, "helper").ofHandler()).isFalse();
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> of(Handlers.class, "monoOfFlux"));
		assertThat(of(Handlers.class, "body").many()).isTrue();
		assertThat(of(Handlers.class, "entity").many()).isFalse();
	}

	@Test
	@DisplayName("The value of a handler is all that its client receives, unless it is the name of a view")
	void complete() {
		assertThat(of(Handlers.class, "handle").complete()).isFalse();
		assertThat(of(Handlers.class, "body").complete()).isTrue();
		assertThat(of(Handlers.class, "entity").complete()).isTrue();
		assertThat(of(Handlers.class, "helper").complete()).isTrue();
	}

	private static ResultType of(Class<?> type, String method) {
		return ResultTypes.of(LockedMethod.of(ReflectionUtils.findMethod(type, method, (Class<?>[]) null), type));
	}

	abstract static class Service {

		abstract String value();

		abstract List<String> list();

		abstract CompletionStage<String> stage();

		abstract CompletableFuture<List<String>> future();

		abstract Mono<String> mono();

		abstract Flux<String> flux();

		abstract ResponseEntity<List<String>> entityOfList();

		abstract Mono<ResponseEntity<String>> monoOfEntity();

	}

	abstract static class Generic<T> {

		abstract T value();

		abstract CompletableFuture<T> stage();

		abstract Mono<T> mono();

	}

	abstract static class OfString extends Generic<String> {

	}

	abstract static class Invalid {

		abstract Future<String> plainFuture();

		abstract Flux<ResponseEntity<String>> fluxOfEntity();

		abstract Mono<Flux<String>> monoOfFlux();

		abstract CompletableFuture<CompletableFuture<String>> stageOfStage();

		abstract CompletableFuture<ResponseEntity<Mono<String>>> stageOfEntityOfMono();

		abstract Callable<String> callable();

		abstract String writer(Writer writer);

		abstract String output(OutputStream output);

	}

	@Controller
	abstract static class Handlers {

		@PostMapping("/")
		abstract String handle(Writer writer);

		abstract String helper();

		@PostMapping("/body")
		@ResponseBody
		abstract Flux<String> body();

		@PostMapping("/entity")
		abstract Mono<ResponseEntity<String>> entity();

		@PostMapping("/mono-of-flux")
		abstract Mono<Flux<String>> monoOfFlux();

	}

}
