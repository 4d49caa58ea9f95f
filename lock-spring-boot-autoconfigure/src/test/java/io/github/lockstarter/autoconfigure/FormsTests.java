package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.MessageSourceResolvable;
import org.springframework.util.StringUtils;
import org.springframework.validation.BindingResult;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.testing.Jobs;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Forms whose key is one of their fields.
 */
@ParameterizedClass
@EnumSource(value = WebApplicationType.class, names = { "SERVLET", "REACTIVE" })
class FormsTests {

	@Parameter
	WebApplicationType type;

	private static TestServer server;

	private static LockRegistry locks;

	private static Jobs jobs;

	@BeforeParameterizedClassInvocation
	static void start(WebApplicationType type) {
		SpringApplication application = new SpringApplication(TestServer.Application.class, Jobs.class, Forms.class);
		application.setMainApplicationClass(TestServer.Application.class);
		application.setWebApplicationType(type);
		server = TestServer.start(application, "lock.store=memory");
		locks = server.context().getBean(LockRegistry.class);
		jobs = server.context().getBean(Jobs.class);
	}

	@AfterParameterizedClassInvocation
	static void stop() {
		server.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/forms?name=&age=20", "/forms?age=20", "/forms?name=%20&age=20", "/lists?name=&age=20" })
	@DisplayName("A blank key field is reported by the form's own validation messages")
	void messages(String path) throws Exception {
		HttpResponse<String> response = server.post(path);
		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(response.body()).isEqualTo("errors: name is blank");
	}

	@Test
	@DisplayName("A form with a key and validation errors is handled with the lock of its key")
	void otherErrors() throws Exception {
		assertThat(server.post("/forms?name=taro&age=abc").body()).startsWith("errors: Failed to convert");
		try (Lease held = locks.acquire("forms:taro")) {
			assertThat(server.post("/forms?name=taro&age=abc").statusCode()).isEqualTo(409);
			assertThat(server.post("/forms?name=&age=abc").statusCode()).isEqualTo(200);
			assertThat(held.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/unchecked?name=", "/forms?name=&age=-1&optional=true", "/headed?name=" })
	@DisplayName("A blank key is rejected if the handler does not receive the errors, or if the key is no form field")
	void rejected(String path) throws Exception {
		HttpResponse<String> response = server.post(path);
		assertThat(response.statusCode()).isEqualTo(400);
		assertThat(response.body()).contains("key-missing");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/careless", "/shared" })
	@DisplayName("Requests without a key run one at a time, even if the handler ignores the errors, and each gets its own response")
	void guarded(String path) throws Exception {
		CompletableFuture<HttpResponse<String>> first = server.postAsync(path + "?name=&job=first" + path);
		jobs.get("first" + path).awaitBegun();
		CompletableFuture<HttpResponse<String>> second = server.postAsync(path + "?name=&job=second" + path);
		Awaitility.await().until(() -> new GuardedHandlers(server).waiters() == 1);
		assertThat(jobs.get("second" + path).hasBegun()).isFalse();
		jobs.get("second" + path).finish();
		jobs.get("first" + path).finish();
		assertThat(List.of(first, second))
			.allSatisfy((response) -> assertThat(response).succeedsWithin(Duration.ofSeconds(20))
				.satisfies((each) -> assertThat(each.statusCode()).isEqualTo(200))
				.satisfies((each) -> assertThat(each.headers().firstValue("Idempotent-Replayed")).isEmpty()));
		assertThat(jobs.get("second" + path).hasBegun()).isTrue();
	}

	/** Unlike a record, keeps the values that could be bound. */
	static class Form {

		private String name;

		private int age;

		private boolean optional;

		private String job;

		public String getName() {
			return this.name;
		}

		public void setName(String name) {
			this.name = name;
		}

		public int getAge() {
			return this.age;
		}

		public void setAge(int age) {
			this.age = age;
		}

		public boolean isOptional() {
			return this.optional;
		}

		public void setOptional(boolean optional) {
			this.optional = optional;
		}

		public String getJob() {
			return this.job;
		}

		public void setJob(String job) {
			this.job = job;
		}

	}

	@RestController
	static class Forms {

		private final Jobs jobs;

		Forms(Jobs jobs) {
			this.jobs = jobs;
		}

		@InitBinder
		void validate(WebDataBinder binder) {
			binder.addValidators(Validator.forInstanceOf(Form.class, (form, errors) -> {
				if (!form.isOptional() && !StringUtils.hasText(form.getName())) {
					errors.rejectValue("name", "blank", "name is blank");
				}
			}));
		}

		@PostMapping("/forms")
		@ExclusiveRequest(name = "forms", key = "#form.name")
		Mono<String> form(@ModelAttribute @Validated Form form, BindingResult errors) {
			return Mono.just(response(errors));
		}

		@PostMapping("/lists")
		@ExclusiveRequest(name = "lists", key = "{#form.name, #form.age}")
		Mono<String> list(@ModelAttribute @Validated Form form, BindingResult errors) {
			return Mono.just(response(errors));
		}

		@PostMapping("/unchecked")
		@ExclusiveRequest(name = "unchecked", key = "#form.name")
		Mono<String> unchecked(@ModelAttribute Form form, BindingResult errors) {
			return Mono.just("done");
		}

		@PostMapping("/headed")
		@ExclusiveRequest(name = "headed", key = "header('X-Key')")
		Mono<String> headed(@ModelAttribute @Validated Form form, BindingResult errors) {
			return Mono.just("done");
		}

		@PostMapping("/careless")
		@ExclusiveRequest(name = "careless", key = "#form.name")
		Mono<String> careless(@ModelAttribute @Validated Form form, BindingResult errors) {
			return Mono.fromFuture(this.jobs.get(form.getJob()).begin());
		}

		@PostMapping("/shared")
		@ExclusiveRequest(name = "shared", key = "#form.name", onConflict = OnConflict.SHARE)
		Mono<String> shared(@ModelAttribute @Validated Form form, BindingResult errors) {
			return Mono.fromFuture(this.jobs.get(form.getJob()).begin());
		}

		private static String response(BindingResult errors) {
			return errors.getAllErrors()
				.stream()
				.map(MessageSourceResolvable::getDefaultMessage)
				.collect(Collectors.joining(", ", "errors: ", ""));
		}

	}

}
